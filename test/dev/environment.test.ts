import { expect, test } from 'vitest'
import { credentials } from '../support/credentials.ts'
import { childEnvironment } from '../../src/dev/credentials.ts'

const origin = 'http://127.0.0.1:4646'

test('a child gets no variables of other servers, and no proxy to the local one', () => {
  const env = childEnvironment(
    {
      VAULT_ADDR: 'https://prod',
      VAULT_NAMESPACE: 'team',
      TUG_PROFILE: 'prod',
      TUG_DIALECT: 'hashicorp',
      NO_PROXY: 'a',
      LANG: 'C',
    },
    { origin, credentials, dialect: 'neutral', platform: 'linux' },
    { PATH: '/bin' },
  )
  expect(env).toMatchObject({
    VAULT_ADDR: origin,
    TUG_SECRETS_ADDR: origin,
    LANG: 'C',
    NO_PROXY: 'a,127.0.0.1',
    PATH: '/bin',
  })
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['VAULT_NAMESPACE']))
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['TUG_PROFILE']))
  expect(Object.keys(env)).not.toEqual(expect.arrayContaining(['TUG_DIALECT']))
})

test('a child uses the dialect of the server', () => {
  expect(childEnvironment({}, { origin, credentials, dialect: 'hashicorp', platform: 'linux' }, {})).toMatchObject({
    TUG_DIALECT: 'hashicorp',
  })
})

test('on Windows a variable is replaced whatever its case', () => {
  const there = { Path: 'c', vault_addr: 'https://prod', Tug_Profile: 'prod', no_proxy: 'b', Lang: 'C' }
  const env = childEnvironment(there, { origin, credentials, dialect: 'neutral', platform: 'win32' }, { PATH: 'd' })
  expect(env).toMatchObject({ PATH: 'd', VAULT_ADDR: origin, NO_PROXY: 'b,127.0.0.1', Lang: 'C' })
  for (const name of ['Path', 'vault_addr', 'Tug_Profile', 'no_proxy']) expect(env).not.toHaveProperty(name)
})
