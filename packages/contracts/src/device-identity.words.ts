export const CHAIN_STEPS = [
  'parse',
  'validity',
  'ca_found',
  'ca_state',
  'issuer',
  'signature',
  'revocation',
  'device',
] as const

export const REGISTRATION_MODES = ['off', 'allow_new', 'pre_registered', 'approve'] as const
