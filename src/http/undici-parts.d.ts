// The parts of undici that bulk work needs; the whole package is three times as large.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'

  const PoolOfConnections: typeof Pool
  export default PoolOfConnections
}
