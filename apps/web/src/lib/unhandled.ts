import { ApiError } from './api/api-error.ts'
import { showError } from './errors.ts'

/**
 * The last net: a request that failed and that nobody waited for (`void` before a promise) is shown like any other, and
 * not lost in the browser's log. What is no answer of the server's stays there: a page's own defects, prefetched files.
 */
export function showUnhandled(target: Pick<Window, 'addEventListener'> = window): void {
  target.addEventListener('unhandledrejection', event => {
    if (!(event.reason instanceof ApiError)) return
    event.preventDefault()
    showError(event.reason)
  })
}
