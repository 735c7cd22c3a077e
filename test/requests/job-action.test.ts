import { requests } from '../support/requests.ts'

const actions = 'GET /v1/job/web/actions'
const headers =
  '-H Connection: Upgrade -H Upgrade: websocket -H Sec-WebSocket-Version: 13 -H Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
const id = '9c0f11aa-1111-2222-3333-444444444444'

/** The upgrade, whose headers carry no token. */
function upgrade(job: string, query: string, place = ''): string {
  return `GET /v1/job/${job}/action?${query}&ws_handshake=true${place} ${headers}`
}

requests('job action', [
  [
    `job action web migrate --alloc ${id} --task server`,
    upgrade('web', `action=migrate&task=server&alloc_id=${id}&allocID=${id}&tty=false`),
  ],
  [
    `job action web migrate --alloc ${id}`,
    actions,
    upgrade('web', `action=migrate&task=srv&alloc_id=${id}&allocID=${id}&tty=false`),
  ],
  [
    `job action a/b 'clean up' --alloc ${id} --task t -t -n team-a --region eu`,
    upgrade('a%2Fb', `action=clean%20up&task=t&alloc_id=${id}&allocID=${id}&tty=true`, '&namespace=team-a&region=eu'),
  ],
])
