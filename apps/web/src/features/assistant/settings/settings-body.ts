import type { Body } from '../../../lib/api-client.ts'
import type { Values } from '../../../ui/schema-form/field.ts'
import type { Settings } from './hooks.ts'

const FEN = 100

/** Stands in the form for "take the stored key away"; a text is a new key, nothing leaves it as it is. */
export const NO_KEY = false

/** The settings as the form shows them: prices in yuan. */
export function formValues(settings: Settings): Values {
  const { engine, baseUrl, model, temperature, maxTokens, monthlyTokens, sendValues } = settings
  return {
    engine,
    baseUrl,
    model,
    temperature,
    maxTokens,
    monthlyTokens,
    priceIn: settings.pricePerMillionIn / FEN,
    priceOut: settings.pricePerMillionOut / FEN,
    sendValues,
  }
}

/** What the form gives back, as the API takes it: prices in fen. Fields that were not shown are left as they are stored. */
export function toBody(values: Values): Body<'assistant.setSettings'> {
  const { priceIn, priceOut, apiKey, ...rest } = values
  return {
    ...rest,
    ...(priceIn === undefined ? {} : { pricePerMillionIn: toFen(priceIn) }),
    ...(priceOut === undefined ? {} : { pricePerMillionOut: toFen(priceOut) }),
    ...(apiKey === NO_KEY ? { apiKey: null } : typeof apiKey === 'string' ? { apiKey } : {}),
  } as Body<'assistant.setSettings'>
}

/** Fractions of a fen are told; a binary remainder of the multiplication is not. */
const toFen = (yuan: unknown) => Number((Number(yuan) * FEN).toFixed(4))
