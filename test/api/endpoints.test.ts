import { expect, test } from 'vitest'
import * as explorer from '../../src/api/explorer.ts'
import * as jobs from '../../src/api/jobs.ts'
import * as kmip from '../../src/api/kmip.ts'
import * as kv from '../../src/api/kv.ts'

/** Whole declarations: routes, capabilities, and the shapes of answers, of which a part could be lost unnoticed. */
test.each(Object.entries({ explorer, jobs, kmip, kv }))(
  'the endpoints of %s are declared as ever',
  async (name, endpoints) => {
    const text = Object.entries(endpoints).map(([key, endpoint]) => `${key} ${JSON.stringify({ ...endpoint })}\n`)
    await expect(text.toSorted().join('')).toMatchFileSnapshot(`endpoints/${name}.txt`)
  },
)
