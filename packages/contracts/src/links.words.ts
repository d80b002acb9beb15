export const REGISTER_KINDS = ['line', 'text', 'hex', 'regex', 'json'] as const
