import { loadTexts } from '../../../lib/i18n.ts'

/** A part of the diagnosis with its texts, for `lazy`: they are downloaded beside its code. */
export async function withDiagnosis<T>(code: Promise<T>): Promise<T> {
  const [part] = await Promise.all([code, loadTexts('diagnose')])
  return part
}
