import { describe, expect, it } from 'vitest'
import { originsOfTiles, readMapTiles } from './map-tiles.ts'

const read = (env: NodeJS.ProcessEnv) =>
  readMapTiles(env, line => {
    throw new Error(line)
  })
const KEY = '0123456789abcdef0123456789abcdef'

describe('tiles of maps', () => {
  it('are none by default: no other host is asked', () => {
    expect(read({})).toBeNull()
    expect(read({ MAP_TILES: ' ' })).toBeNull()
  })

  it('of Tianditu need its key, lie in two layers and are not shifted', () => {
    const tiles = read({ MAP_TILES: 'tianditu', MAP_KEY: KEY, MAP_NOTE: 'GS(2025)1' })!
    expect(tiles).toMatchObject({ source: 'tianditu', datum: 'wgs84', note: 'GS(2025)1' })
    expect(tiles.layers).toHaveLength(2)
    for (const layer of tiles.layers) expect(layer).toMatch(new RegExp(`&TILEROW=\\{y\\}&TILECOL=\\{x\\}&tk=${KEY}$`))
    expect(originsOfTiles(tiles)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map(n => `https://t${n}.tianditu.gov.cn`))
  })

  it('of AMap and Tencent are in GCJ-02, those of Tencent counted from the south', () => {
    const amap = read({ MAP_TILES: 'amap' })!
    expect(amap.datum).toBe('gcj02')
    expect(originsOfTiles(amap)).toEqual([1, 2, 3, 4].map(n => `https://webrd0${n}.is.autonavi.com`))
    const tencent = read({ MAP_TILES: 'tencent' })!
    expect([tencent.datum, tencent.layers[0]]).toEqual(['gcj02', expect.stringContaining('y={-y}')])
    expect(originsOfTiles(tencent)).toEqual([0, 1, 2, 3].map(n => `https://rt${n}.map.gtimg.com`))
  })

  it('of an own server have its port, its key and the coordinates that are named', () => {
    const own = read({
      MAP_TILES: 'http://tiles.lan:8088/{z}/{x}/{y}.png?k={key}',
      MAP_KEY: 'a b',
      MAP_DATUM: 'gcj02',
    })!
    expect(own).toMatchObject({
      source: 'own',
      datum: 'gcj02',
      layers: ['http://tiles.lan:8088/{z}/{x}/{y}.png?k=a%20b'],
    })
    expect(originsOfTiles(own)).toEqual(['http://tiles.lan:8088'])
    expect(read({ MAP_TILES: 'https://tiles.example/{z}/{x}/{-y}' })).toMatchObject({ datum: 'wgs84' })
  })

  it.each([
    [{ MAP_KEY: KEY }, /^MAP_KEY: is of no use without MAP_TILES/],
    [{ MAP_TILES: 'tianditu' }, /^MAP_KEY: missing/],
    [{ MAP_TILES: 'tianditu', MAP_KEY: "x'; script-src *" }, /^MAP_KEY: not a key/],
    [{ MAP_TILES: 'tianditu', MAP_KEY: KEY, MAP_DATUM: 'gcj02' }, /^MAP_DATUM: .*tianditu/],
    [{ MAP_TILES: 'amap', MAP_KEY: KEY }, /^MAP_KEY: .*amap/],
    [{ MAP_TILES: 'google' }, /^MAP_TILES: has no \{x\}/],
    [{ MAP_TILES: 'ftp://h/{z}/{x}/{y}' }, /^MAP_TILES: not an address/],
    [{ MAP_TILES: 'https://{x}.example/{z}/{y}' }, /^MAP_TILES: not an address/],
    [{ MAP_TILES: 'https://h;script-src/{z}/{x}/{y}' }, /^MAP_TILES: not an address/],
    [{ MAP_TILES: 'https://u:p@h/{z}/{x}/{y}' }, /^MAP_TILES: not an address/],
    [{ MAP_TILES: 'https://h{s}/{z}/{x}/{y}' }, /^MAP_TILES: \{s\}/],
    [{ MAP_TILES: 'https://h/{z}/{x}/{y}?k={key}' }, /^MAP_KEY: missing/],
    [{ MAP_TILES: 'https://h/{z}/{x}/{y}', MAP_KEY: 'k' }, /^MAP_KEY: MAP_TILES has no/],
    [{ MAP_TILES: 'https://h/{z}/{x}/{y}', MAP_DATUM: 'bd09' }, /^MAP_DATUM: got "bd09", takes wgs84, gcj02/],
  ] as const)('%j is said clearly', (env, line) => {
    expect(() => read(env)).toThrow(line)
  })
})
