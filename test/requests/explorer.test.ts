import { requests } from '../support/requests.ts'

requests('explorer', [['explorer views list', 'GET /api/v2/organizations/acme/explorer/views']])
