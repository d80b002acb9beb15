import { expect, it } from 'vitest'
import { refusedOutcome } from './refused-outcome.ts'

it.each([
  ['permission.denied', 403, 'GET', 'refused'],
  ['command.interlocked', 409, 'POST', 'refused'],
  ['command.pin_wrong', 403, 'POST', 'refused'],
  ['server.unavailable', 503, 'POST', 'failed'],
  ['server.unavailable', 503, 'GET', null],
  ['request.validation', 422, 'POST', null],
  ['command.confirm_required', 409, 'POST', null],
])('%s with %i of %s is %s in the operation log', (code, status, method, outcome) => {
  expect(refusedOutcome(code, status, method)).toBe(outcome)
})
