import { ApiError, ProofDeclinedError, SessionExpiredError } from './api/api-error.ts'
import { text } from './i18n.ts'
import { notify } from './notify.ts'

export interface ErrorFacts {
  message: string
  code: string
  requestId: string
}

/** What can be told about any error; a defect of the page itself has the code `page.error`. */
export function errorFacts(error: unknown): ErrorFacts {
  if (error instanceof ApiError) return { message: error.message, code: error.code, requestId: error.requestId }
  return { message: text('common:error.page'), code: 'page.error', requestId: '' }
}

/** True for errors that need no words: cancelled requests and an expired session, which says so itself. */
export function isSilent(error: unknown): boolean {
  return (
    error instanceof SessionExpiredError ||
    error instanceof ProofDeclinedError ||
    (error instanceof DOMException && error.name === 'AbortError')
  )
}

/** Shows an error as a notice with its code and request id. */
export function showError(error: unknown): void {
  if (isSilent(error)) return
  const { message, code, requestId } = errorFacts(error)
  notify.error(message, { detail: requestId ? `${code} · ${requestId}` : code })
}
