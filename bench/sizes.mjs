// How much the measurements are about; the server makes it, the tables name it.
export const csvBytes = 200_000_000
export const pages = 30
export const rowsPerPage = 100
/** Pages of an organization whose server answers at once. */
export const quickPages = 200
/** Milliseconds that the server waits before it answers a page. */
export const latency = 50
export const jobsOfStream = 50_000
/** Job files of a folder; the plan of each fortieth is a change. */
export const jobFiles = 500
export const folders = 500
export const secretsPerFolder = 20
/** Rows of the measurements that show how time grows. */
export const growth = [1000, 10_000, 100_000]
/** Secrets of a folder of which a few are slow, and after how many milliseconds those are answered. */
export const secretsBesideSlow = 4000
export const slowSecrets = 6
export const slowness = 1000
/** Secrets that are backed up, that each bulk command is measured with, and in the largest mount. */
export const backedUp = 10_000
export const bulk = 20_000
export const largest = 100_000
/** Secrets on a server that answers after 2 ms. */
export const farAway = 2000
/** Secrets in each folder of a large mount. */
export const perFolder = 100
