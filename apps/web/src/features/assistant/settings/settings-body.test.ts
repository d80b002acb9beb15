import { describe, expect, it } from 'vitest'
import type { Settings } from './hooks.ts'
import { formValues, NO_KEY, toBody } from './settings-body.ts'

const STORED: Settings = {
  engine: 'own',
  baseUrl: 'https://model.example/v1',
  model: 'm1',
  temperature: 0.2,
  maxTokens: 1024,
  monthlyTokens: null,
  pricePerMillionIn: 110,
  pricePerMillionOut: 0.5,
  sendValues: false,
  hasApiKey: true,
  keyRefusedAt: null,
  installation: null,
  usedTokens: 7,
  version: 3,
  updatedAt: null,
}

describe('the settings in a form', () => {
  it('come back as they were, prices in fen', () => {
    const shown = formValues(STORED)
    expect(shown).toMatchObject({ priceIn: 1.1, priceOut: 0.005 })
    const { engine, baseUrl, model, temperature, maxTokens, monthlyTokens, sendValues } = STORED
    expect(toBody(shown)).toEqual({
      engine,
      baseUrl,
      model,
      temperature,
      maxTokens,
      monthlyTokens,
      sendValues,
      pricePerMillionIn: 110,
      pricePerMillionOut: 0.5,
    })
  })

  it('leave the key alone, set it or take it away', () => {
    expect(toBody({ engine: 'own' })).toEqual({ engine: 'own' })
    expect(toBody({ apiKey: 'sk-1' })).toEqual({ apiKey: 'sk-1' })
    expect(toBody({ apiKey: NO_KEY })).toEqual({ apiKey: null })
    expect(toBody({ priceIn: 0.07 })).toEqual({ pricePerMillionIn: 7 })
  })
})
