import { endpoint } from '../core/endpoint.ts'
import type { TugError } from '../core/errors.ts'
import type { Infer } from '../core/shape.ts'
import { anyAnswer, array, json, filled, map, object, string } from '../core/shape.ts'

// The endpoints of the KMIP certificate engine, in the order of its specification.

/** The specification doesn't show the responses of these writes: any 2xx is a success, and warnings are printed. */
const done = anyAnswer

const names = json(object({ data: object({ 'keys?': array(filled) }) }))

const chain = { 'ca_chain?': array(string), 'serial_number?': string }

/** A certificate with its chain. */
const issued = json(object({ data: object({ certificate: filled, ...chain }) }))

/** The same with its key. If the key or the certificate is missing, the command revokes what was issued. */
const credential = object({ certificate: string, ...chain, 'private_key?': string })

/** A certificate as generate, sign and lookup return it. */
export type Credential = Infer<typeof credential>

export const writeConfig = endpoint('POST /v1/{mount}/config', { answers: done })

/** The specification doesn't define a status for an engine that was never configured. */
const policy = { notRetried: ({ facts }: TugError) => facts.status === 400 || facts.status === 500 }

export const readConfig = endpoint('GET /v1/{mount}/config', {
  policy,
  answers: json(object({ data: object({ listen_addrs: array(filled) }) })),
})

export const readCa = endpoint('GET /v1/{mount}/ca', {
  policy,
  answers: json(object({ data: object({ ca_pem: filled }) })),
})

export const createScope = endpoint('POST /v1/{mount}/scope/{scope}', { answers: done })

export const listScopes = endpoint('LIST /v1/{mount}/scope', { answers: names })

export const deleteScope = endpoint('DELETE /v1/{mount}/scope/{scope}', { answers: done })

export const writeRole = endpoint('POST /v1/{mount}/scope/{scope}/role/{role}', { answers: done })

export const readRole = endpoint('GET /v1/{mount}/scope/{scope}/role/{role}', {
  answers: json(object({ data: map() })),
})

export const listRoles = endpoint('LIST /v1/{mount}/scope/{scope}/role', { answers: names })

export const deleteRole = endpoint('DELETE /v1/{mount}/scope/{scope}/role/{role}', { answers: done })

export const generateCredential = endpoint('POST /v1/{mount}/scope/{scope}/role/{role}/credential/generate', {
  answers: json(object({ data: credential })),
})

export const signCredential = endpoint('POST /v1/{mount}/scope/{scope}/role/{role}/credential/sign', {
  answers: issued,
})

export const lookupCredential = endpoint('GET /v1/{mount}/scope/{scope}/role/{role}/credential/lookup', {
  answers: issued,
})

export const listCredentials = endpoint('LIST /v1/{mount}/scope/{scope}/role/{role}/credential', { answers: names })

export const revokeCredential = endpoint('POST /v1/{mount}/scope/{scope}/role/{role}/credential/revoke', {
  effect: 'destroys',
  answers: done,
})
