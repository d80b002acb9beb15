import type { CardCheckView } from '@thingwright/contracts/sim-cards.contract'
import { cardStateOf } from './card-states.ts'
import type { CardRow } from './cards.repo.ts'
import { type Carrier, CarrierError, type Connectivity } from './carrier.port.ts'
import { allowedFor } from './operations.service.ts'

type Step = CardCheckView['steps'][number]
type Params = Step['params']

/**
 * Looks for why a card passes no data, in the order in which it makes sense: state, function switches, session, APN, IMEI
 * lock, separation, position, and at last whether a reset could help. What the carrier does not say is `unknown`.
 */
export async function checkCard(card: CardRow, carrier: Carrier, now: number): Promise<CardCheckView> {
  const steps: Step[] = []
  const add = (
    step: Step['step'],
    verdict: Step['verdict'],
    code: string,
    params: Params = {},
    act: Step['act'] = null,
  ) => steps.push({ step, verdict, code, params, act })
  let connectivity: Connectivity
  let state = card.state
  try {
    const reading = await carrier.read(card)
    state = cardStateOf(card.kind, reading.rawState)
    const params = { state, raw: [reading.rawState, reading.rawStateText].filter(Boolean).join(' ') }
    const act = allowedFor({ ...card, state }).find(action => action === 'resume' || action === 'activate') ?? null
    add('state', state === 'active' ? 'ok' : 'fault', `state_${state}`, params, state === 'active' ? null : act)
    connectivity = await carrier.connectivity(card)
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error
    const params = { text: [error.code, error.text].filter(Boolean).join(' ') }
    if (steps.length === 0)
      add(
        'state',
        error.fault === 'card_unknown' ? 'fault' : 'unknown',
        error.fault === 'card_unknown' ? 'state_unknown' : 'not_answered',
        params,
      )
    for (const step of ['functions', 'session', 'apn', 'imei', 'separation', 'position'] as const)
      add(step, 'unknown', 'not_answered', params)
    return { at: new Date(now).toISOString(), steps }
  }
  const { functions, session, separated } = connectivity
  const missing = (what: string) => connectivity.unanswered.find(item => item.what === what)?.text ?? ''

  const data = functions?.filter(({ name }) => name === 'data') ?? []
  if (!functions) add('functions', 'unknown', 'not_said', { text: missing('functions') })
  else if (data.some(({ on }) => !on)) add('functions', 'fault', 'data_off', {}, 'data_on')
  else add('functions', 'ok', 'data_on')

  if (!session) add('session', 'unknown', 'not_said', { text: missing('session') })
  else if (session.online)
    add('session', 'ok', 'online', { ip: session.ip ?? '', since: session.since ?? '', rat: session.rat ?? '' })
  else if (connectivity.poweredOn === false) add('session', 'fault', 'powered_off')
  else add('session', 'fault', 'no_session', {}, allowedFor({ ...card, state }).includes('reset') ? 'reset' : null)

  const apn = session?.apn ?? card.apn
  const allowedApns = data.flatMap(row => row.apn ?? [])
  if (!apn) add('apn', 'unknown', 'not_said')
  else if (allowedApns.length > 0 && !allowedApns.includes(apn))
    add('apn', 'fault', 'apn_wrong', { apn, allowed: allowedApns.join(', ') })
  else add('apn', 'ok', 'apn_right', { apn })

  const { imei } = connectivity
  if (!imei) add('imei', 'unknown', 'not_said', { text: missing('imei') })
  else if (card.boundImei && !imei.startsWith(card.boundImei.slice(0, 14)))
    add('imei', 'fault', 'imei_strange', { imei, bound: card.boundImei })
  else add('imei', 'ok', card.boundImei ? 'imei_bound' : 'imei_free', { imei })

  if (!separated) add('separation', 'unknown', 'not_said', { text: missing('separation') })
  else if (separated.separated)
    add(
      'separation',
      'fault',
      'separated',
      { since: separated.since ?? '', text: separated.text },
      allowedFor({ ...card, state }).includes('unbind_imei') ? 'unbind_imei' : null,
    )
  else add('separation', 'ok', 'together')

  const { position } = connectivity
  if (position) add('position', 'ok', 'seen_at', { lng: position.lng, lat: position.lat })
  else add('position', 'unknown', 'not_said', { text: missing('position') })

  const isHopeful = state === 'active' && session !== null && !session.online && data.every(({ on }) => on)
  if (isHopeful && allowedFor({ ...card, state }).includes('reset'))
    add('reset', 'unknown', 'reset_may_help', {}, 'reset')
  return { at: new Date(now).toISOString(), steps }
}
