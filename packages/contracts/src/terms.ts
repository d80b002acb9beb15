/** The version of the terms of service that a person agrees to now; written into every consent. */
export const TERMS = { document: 'terms-of-service', version: '2026-11-01' } as const

/** Version in force of every document that people agree to: the day from which it holds. */
export const DOCUMENTS: Readonly<Record<string, string>> = {
  [TERMS.document]: TERMS.version,
  'privacy-policy': '2026-11-01',
}
