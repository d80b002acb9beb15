import { CARD_STATES } from '@thingwright/contracts/sim-cards.words'
import { describe, expect, it } from 'vitest'
import { ALLOWED, cardStateOf, stopReasonOf, targetOf } from './card-states.ts'

describe('the state of a card', () => {
  it.each([
    ['onelink', '1', 'pending'],
    ['onelink', '2', 'active'],
    ['onelink', '4', 'stopped'],
    ['onelink', '6', 'testable'],
    ['onelink', '7', 'inventory'],
    ['onelink', '8', 'pre_cancel'],
    ['onelink', '9', 'cancelled'],
    ['onelink', '00', 'active'],
    ['onelink', '01', 'stopped'],
    ['onelink', '02', 'stopped'],
    ['onelink', '03', 'pre_cancel'],
    ['onelink', '04', 'cancelled'],
    ['onelink', '05', 'transferred'],
    ['onelink', '06', 'dormant'],
    ['onelink', '07', 'pending'],
    ['onelink', '99', 'unknown'],
    ['cmp', '1', 'pending'],
    ['cmp', '2', 'testing'],
    ['cmp', '3', 'testing'],
    ['cmp', '4', 'active'],
    ['cmp', '5', 'stopped'],
    ['cmp', '6', 'carrier_hold'],
    ['cmp', '7', 'cancelled'],
    ['dcp', 'Deactivated', 'pending'],
    ['dcp', 'Active', 'active'],
    ['dcp', 'Paused', 'stopped'],
    ['dcp', 'Terminated', 'cancelled'],
    ['cmp', '42', 'unknown'],
    ['onelink', '', 'unknown'],
  ] as const)('%s %s is %s', (kind, raw, state) => {
    expect(cardStateOf(kind, raw)).toBe(state)
  })

  it('says what may be asked for, and where it leads', () => {
    expect(Object.keys(ALLOWED)).toEqual([...CARD_STATES])
    expect(ALLOWED.stopped).toContain('resume')
    expect(ALLOWED.cancelled).toEqual([])
    expect([targetOf('stop'), targetOf('resume'), targetOf('reset')]).toEqual(['stopped', 'active', null])
    expect([stopReasonOf('onelink', '01'), stopReasonOf('onelink', '4'), stopReasonOf('cmp', '4')]).toEqual([
      'arrears',
      'carrier',
      null,
    ])
  })
})
