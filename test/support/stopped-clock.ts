import type { DevClock } from '../../src/dev/http.ts'
import { systemClock } from '../../src/dev/http.ts'

/** A clock that stands still, so that no periodic job of the local server is launched: `2026-11-21T07:30:00Z`, as in `run.ts`. */
export const stoppedClock: DevClock = { now: () => new Date('2026-11-21T07:30:00Z'), after: () => () => undefined }

/** The machine's clock, which no response shows: only that of the test counts. */
export const hiddenClock: DevClock = { ...systemClock, isHidden: true }
