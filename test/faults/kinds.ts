import type { ServerResponse } from 'node:http'

/** What a fault does to a request, and what must come of it by rule. */
export interface Fault {
  readonly name: string
  /** Answers the request; without it the fault is in the address. */
  readonly answer?: (response: ServerResponse, request: { url: string; headers: object; body: string }) => void
  /** The address in place of the server's. */
  readonly origin?: string
  /** The exit code of a read and of a write. */
  readonly exit: number
  /** That of a write, where it is another. */
  readonly exitOfWrite?: number
  /** True if a write may have been carried out. */
  readonly doubt?: boolean
  /** True for a success that makes no sense. */
  readonly unexpectedResponse?: boolean
  /** True for one of a kind whose other faults every command meets: the HTTP client makes them the same. */
  readonly alike?: boolean
  /** A time limit in milliseconds, which the answer exceeds. */
  readonly timeout?: number
}

type Headers = Readonly<Record<string, string>>

function answer(status: number, body: string, headers: Headers = {}) {
  return (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Bytes as they are, after which the connection is closed. */
function raw(text: string) {
  return (response: ServerResponse) => void response.socket?.end(text)
}

const head = 'HTTP/1.1 200 OK\r\n'
const page = '<!doctype html><title>Sign in</title><form></form>'

const network: readonly Fault[] = [
  { name: 'refused', origin: 'http://127.0.0.1:1', exit: 7 },
  // A label of a name has at most 63 characters: nobody needs to be asked.
  { name: 'an unknown host name', origin: `http://${'a'.repeat(64)}.invalid`, exit: 7 },
  { name: 'closed before the headers', answer: raw(''), exit: 7, doubt: true },
  { name: 'closed in the headers', alike: true, answer: raw('HTTP/1.1 200 OK\r\nContent-Ty'), exit: 7, doubt: true },
  {
    name: 'closed in a chunk',
    alike: true,
    answer: raw(`${head}Transfer-Encoding: chunked\r\n\r\nff\r\n"da`),
    exit: 7,
    doubt: true,
  },
  { name: 'reset', alike: true, answer: (response) => void response.socket?.resetAndDestroy(), exit: 7, doubt: true },
  { name: 'shorter than announced', answer: raw(`${head}Content-Length: 1000\r\n\r\n"data":`), exit: 7, doubt: true },
  { name: 'silence', answer: () => undefined, timeout: 20, exit: 7, doubt: true },
  {
    name: 'a drip that dries up',
    alike: true,
    answer: (response) => void response.writeHead(200).write('"da'),
    timeout: 20,
    exit: 7,
    doubt: true,
  },
  {
    name: 'a chunk without a length',
    alike: true,
    answer: raw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    exit: 7,
    doubt: true,
  },
  { name: 'no HTTP', answer: raw('SSH-2.0-OpenSSH_9.6\r\n'), exit: 7, doubt: true },
]

const redirects: readonly Fault[] = [
  ...[302, 307].map((status): Fault => ({
    name: `${status} to another host`,
    ...(status === 302 ? { alike: true } : {}),
    answer: answer(status, '', { location: 'http://127.0.0.1:1/elsewhere' }),
    exit: 1,
    doubt: true,
  })),
  { name: 'a loop', answer: answer(307, '', { location: '/v1/loop' }), exit: 1, doubt: true },
  {
    name: '307 to an error',
    answer: (response, { url }) => answer(url === '/moved' ? 418 : 307, '{}', { location: '/moved' })(response),
    exit: 6,
    exitOfWrite: 1,
    doubt: true,
  },
  { name: '302 to nowhere', alike: true, answer: answer(302, '', { location: 'http://' }), exit: 1, doubt: true },
]

/** An error that quotes what it was sent, the token too, in every way that a terminal or a log could take for an order. */
function echo(status: number): NonNullable<Fault['answer']> {
  const orders = '\u001b]0;x\u0007\u202e\n::stop-commands::x\n'
  return (response, { headers }) => {
    const text = JSON.stringify({ errors: [orders + JSON.stringify(headers)] })
    answer(status, text, { 'x-request-id': 'a ::stop-commands::' })(response)
  }
}

const statuses: readonly Fault[] = (
  [
    [400, 6],
    [401, 4],
    [403, 4],
    [404, 3],
    [409, 5],
    [408, 1],
    [412, 1],
    [418, 6],
    [422, 6],
    [429, 7],
    [500, 1],
    [502, 1],
    [503, 1],
    [504, 1],
    [507, 1],
    [520, 1],
  ] as const
).flatMap(([status, exit]): Fault[] => {
  const alike = [400, 408, 418, 502, 504, 507, 520].includes(status) ? { alike: true } : {}
  const known = { exit, doubt: status >= 500 || status === 408, ...alike }
  // 412: of a standby that has not caught up.
  const errors = `{"errors":["${status === 412 ? 'required index state not present' : 'a reason of the test'}"]}`
  return [
    { name: `${status}`, answer: answer(status, errors), ...known },
    ...([403, 404, 500, 503].includes(status)
      ? [
          { name: `${status} with a page`, answer: answer(status, page, { 'content-type': 'text/html' }), ...known },
          { name: `${status} with an echo of the headers`, answer: echo(status), ...known },
        ]
      : []),
    ...([429, 503].includes(status)
      ? [{ name: `${status} with Retry-After`, answer: answer(status, errors, { 'retry-after': '7' }), ...known }]
      : []),
  ]
})

const nonsense: readonly Fault[] = (
  [
    ['a login page', answer(200, page, { 'content-type': 'text/html' })],
    ['a login page that claims to be JSON', answer(200, page)],
    ['an empty object', answer(200, '{}')],
    ['another object', answer(200, '{"hello":"world","version":"1.2"}')],
    ['an empty array', answer(200, '[]')],
    ['null', answer(200, 'null')],
    ['an array of null', answer(200, '[null]')],
    ['an array of numbers', answer(200, '[1]')],
    ['an array of empty objects', answer(200, '[{}]')],
    ['a number', answer(200, '42')],
    ['a text', answer(200, '"ok"')],
    ['JSON that is cut short', answer(200, '{"data":{"keys":["a"')],
    ['an error as a success', answer(200, '{"errors":["permission denied"]}')],
    ['a part', answer(206, '{"data":[]}', { 'content-range': 'bytes 0-10/100' })],
    ['an unknown encoding', answer(200, '{"data":[]}', { 'content-encoding': 'zstd' })],
    ['deep JSON', answer(200, '['.repeat(100_000))],
  ] as const
).map(([name, call]) => ({ name, answer: call, exit: 1, unexpectedResponse: true, doubt: true }))

/** Bodies that the checks of every endpoint refuse (test/api/nonsense.test.ts). */
const alikeNonsense = [
  'a login page that claims to be JSON',
  'another object',
  'an array of null',
  'an array of numbers',
  'an array of empty objects',
  'a number',
  'a text',
  'an unknown encoding',
]

/** Every fault, for some commands. */
export const faults: readonly Fault[] = [...network, ...redirects, ...statuses, ...nonsense]

/** One fault of each kind, for every command. */
export const mainFaults = faults.filter(({ name, alike }) => alike !== true && !alikeNonsense.includes(name))
