import { describe, expect, it } from 'vitest'
import { provinceOf } from './provinces.ts'

describe('the province of a place', () => {
  it.each([
    ['Xiamen, an island', 118.1, 24.48, 'Fujian'],
    ['Beijing, within Hebei', 116.4, 39.9, 'Beijing'],
    ['Ürümqi', 87.6, 43.8, 'Xinjiang'],
    ['Taipei', 121.5, 25.03, 'Taiwan'],
    ['Sanya', 109.5, 18.25, 'Hainan'],
  ])('%s', (_name, lng, lat, en) => {
    expect(provinceOf({ lng, lat })?.en).toBe(en)
  })

  it('is the nearest one of a harbour that the outlines leave in the sea, and none far from all', () => {
    // Three kilometres before Cape Chengshan.
    expect(provinceOf({ lng: 122.74, lat: 37.39 })?.en).toBe('Shandong')
    expect(provinceOf({ lng: 139.7, lat: 35.7 })).toBeNull()
    expect(provinceOf({ lng: 124, lat: 30 })).toBeNull()
  })
})
