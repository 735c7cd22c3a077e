// The parts of undici that bulk work needs; the whole package is three times as large.
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'

  const request: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>
  export default request
}

declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'

  const PoolOfConnections: typeof Pool
  export default PoolOfConnections
}
