import { describe, expect, it } from 'vitest'
import { CONFIRM_MS, createConfirmations, type Proposal } from './confirmations.ts'

const proposal = (over: Partial<Proposal> = {}): Proposal => ({
  caller: 'company somebody',
  tool: 'rename_device',
  input: { device: 'a', name: { zh: 'x', en: 'y' } },
  prepared: { calls: [], effects: [] },
  ...over,
})

describe('the second step of a change', () => {
  it('is possible once, for the same arguments in any order', () => {
    const confirmations = createConfirmations(() => 0)
    const made = proposal()
    const { id, expiresAt } = confirmations.keep(made)
    expect(expiresAt).toBe(CONFIRM_MS)
    const same = { id, caller: made.caller, tool: made.tool, input: { name: { en: 'y', zh: 'x' }, device: 'a' } }
    expect(confirmations.take(same)).toMatchObject({ prepared: made.prepared })
    expect(confirmations.take(same)).toBe('unknown')
  })

  it('is not possible for somebody else, for another tool or with other arguments, and these do not use it up', () => {
    const confirmations = createConfirmations(() => 0)
    const made = proposal()
    const { id } = confirmations.keep(made)
    const asked = { id, caller: made.caller, tool: made.tool, input: made.input }
    expect(confirmations.take({ ...asked, caller: 'company another' })).toBe('unknown')
    expect(confirmations.take({ ...asked, id: 'made up' })).toBe('unknown')
    expect(confirmations.take({ ...asked, tool: 'delete_device' })).toBe('other')
    expect(confirmations.take({ ...asked, input: { ...made.input, device: 'b' } })).toBe('other')
    expect(confirmations.take(asked)).toMatchObject({ tool: 'rename_device' })
  })

  it('ends after ten minutes', () => {
    let now = 0
    const confirmations = createConfirmations(() => now)
    const made = proposal()
    const { id } = confirmations.keep(made)
    now = CONFIRM_MS
    expect(confirmations.take({ id, caller: made.caller, tool: made.tool, input: made.input })).toBe('unknown')
  })

  it('keeps fifty for a caller, the latest ones', () => {
    const confirmations = createConfirmations(() => 0)
    const made = proposal()
    const other = confirmations.keep(proposal({ caller: 'company another' }))
    const ids = Array.from({ length: 51 }, () => confirmations.keep(made).id)
    const take = (id: string, caller = made.caller) =>
      confirmations.take({ id, caller, tool: made.tool, input: made.input })
    expect(take(ids[0]!)).toBe('unknown')
    expect(take(ids[1]!)).toMatchObject({ tool: made.tool })
    expect(take(other.id, 'company another')).toMatchObject({ tool: made.tool })
  })
})
