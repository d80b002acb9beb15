import { afterSilence } from '../lib/silence.ts'

/**
 * Waits so long for an answer and no longer; the work itself goes on, and what becomes of it then is nobody's business.
 * @throws Error `no answer` when it is late
 */
export function answerWithin<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const silence = afterSilence(ms, () => reject(new Error('no answer')))
    work
      .then(answer => {
        silence.end()
        resolve(answer)
      })
      .catch((error: unknown) => {
        silence.end()
        reject(error)
      })
  })
}
