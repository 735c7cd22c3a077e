import { newCredentials } from '../../src/dev/credentials.ts'

/** The tokens of every local server that a test file starts. */
export const credentials = newCredentials()
