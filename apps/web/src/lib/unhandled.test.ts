import { beforeEach, expect, it } from 'vitest'
import { ApiError, SessionExpiredError } from './api/api-error.ts'
import { useNotices } from './notify.ts'
import { showUnhandled } from './unhandled.ts'

beforeEach(() => useNotices.setState({ notices: [] }))

/** What is shown of a rejection that nobody took, and whether the browser still logs it. */
function rejected(reason: unknown) {
  const target = new EventTarget()
  showUnhandled(target as Window)
  const event = Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason })
  target.dispatchEvent(event)
  const shown = useNotices.getState().notices.map(({ kind, text, detail }) => ({ kind, text, detail }))
  return { shown, logged: !event.defaultPrevented }
}

it('a request that failed and that nobody waited for is shown with its code', () => {
  const error = new ApiError({ status: 409, code: 'device.conflict', message: 'changed meanwhile', requestId: 'r1' })
  expect(rejected(error)).toEqual({
    shown: [{ kind: 'error', text: 'changed meanwhile', detail: 'device.conflict · r1' }],
    logged: false,
  })
})

it('an expired session says so itself, and a defect of the page stays in the log', () => {
  expect(rejected(new SessionExpiredError())).toEqual({ shown: [], logged: false })
  expect(rejected(new TypeError('x is undefined'))).toEqual({ shown: [], logged: true })
})
