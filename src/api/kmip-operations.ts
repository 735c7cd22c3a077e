/** The specification's operations, without their prefix. In a file of its own because completion loads nothing else of KMIP. */
export const operations = [
  'activate',
  'add_attribute',
  'create',
  'decrypt',
  'destroy',
  'discover_versions',
  'encrypt',
  'get',
  'get_attribute_list',
  'get_attributes',
  'import',
  'locate',
  'query',
  'register',
  'rekey',
  'revoke',
] as const

/** Operations that newer products know besides. */
export const newerOperations = [
  'create_key_pair',
  'delete_attribute',
  'mac',
  'mac_verify',
  'modify_attribute',
  'rekey_key_pair',
  'rng_retrieve',
  'rng_seed',
  'sign',
  'signature_verify',
] as const
