import { describe, expect, it } from 'vitest'
import { byteRange } from './byte-range.ts'
import { cleanTags, displayName } from './file-names.ts'
import { createMediaLinks } from './media-links.ts'
import { sniff } from './sniff.ts'
import { png, wav } from './testing.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))

describe('what a file is', () => {
  it.each([
    ['PNG', png(1, 1), 'image', 'image/png'],
    ['JPEG', bytes([0xff, 0xd8, 0xff, 0xe0]), 'image', 'image/jpeg'],
    ['GIF', bytes('GIF89a....'), 'image', 'image/gif'],
    ['WebP', bytes('RIFF....WEBPVP8 '), 'image', 'image/webp'],
    ['AVIF', bytes([0, 0, 0, 28], 'ftypavif'), 'image', 'image/avif'],
    ['WAV', wav(), 'audio', 'audio/wav'],
    ['MP3 with a tag', bytes('ID3', [3, 0, 0]), 'audio', 'audio/mpeg'],
    ['MP3 without', bytes([0xff, 0xfb, 0x90, 0x64]), 'audio', 'audio/mpeg'],
    ['AAC', bytes([0xff, 0xf1, 0x50, 0x80]), 'audio', 'audio/aac'],
    ['FLAC', bytes('fLaC'), 'audio', 'audio/flac'],
    ['Ogg sound', bytes('OggS', Array(24).fill(0), '\x01vorbis'), 'audio', 'audio/ogg'],
    ['M4A', bytes([0, 0, 0, 28], 'ftypM4A '), 'audio', 'audio/mp4'],
    ['MP4', bytes([0, 0, 0, 28], 'ftypisom'), 'video', 'video/mp4'],
    ['WebM', bytes('\x1aE\xdf\xa3', [0x9f, 0x42, 0x82, 0x84], 'webm'), 'video', 'video/webm'],
    ['GLB', bytes('glTF', [2, 0, 0, 0]), 'file', 'model/gltf-binary'],
    ['PDF', bytes('%PDF-1.7'), 'file', 'application/pdf'],
    ['ZIP', bytes('PK\x03\x04'), 'file', 'application/zip'],
    ['SVG', Buffer.from('<svg xmlns="x">'), 'svg', 'image/svg+xml'],
    [
      'SVG with all before it',
      Buffer.from('\ufeff <?xml version="1.0"?>\n<!-- a --><!DOCTYPE svg [<!ENTITY a "b">]>\n<svg/>'),
      'svg',
      'image/svg+xml',
    ],
    ['HTML', Buffer.from('<!DOCTYPE html><html><svg></svg>'), 'file', 'application/octet-stream'],
    ['a word that begins like SVG', Buffer.from('<svgfoo>'), 'file', 'application/octet-stream'],
    ['a script', Buffer.from('#!/bin/sh\n'), 'file', 'application/octet-stream'],
    ['a program', bytes('MZ\x90'), 'file', 'application/octet-stream'],
    ['a HEIC photo, which browsers do not show', bytes([0, 0, 0, 28], 'ftypheic'), 'file', 'application/octet-stream'],
    ['Matroska', bytes('\x1aE\xdf\xa3', Array(60).fill(0)), 'file', 'application/octet-stream'],
    ['an open comment', Buffer.from('<!-- <svg>'), 'file', 'application/octet-stream'],
    ['an open prolog', Buffer.from('<?xml <svg>'), 'file', 'application/octet-stream'],
    ['an open DOCTYPE', Buffer.from('<!DOCTYPE svg ['), 'file', 'application/octet-stream'],
    ['one byte', bytes([0xff]), 'file', 'application/octet-stream'],
    ['nothing', Buffer.alloc(0), 'file', 'application/octet-stream'],
  ])('%s', (_, head, kind, contentType) => {
    expect(sniff(head)).toEqual({ kind, contentType })
  })

  it('is read without failing from any bytes', () => {
    let seed = 7
    const next = () => {
      seed = (seed * 1103515245 + 12345) >>> 0
      return seed & 0xff
    }
    for (let i = 0; i < 2000; i++) {
      const random = Buffer.from(Uint8Array.from({ length: i % 64 }, next))
      expect(sniff(random).kind).toBeTypeOf('string')
    }
  })
})

describe('a name', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\x\\y.png', 'y.png'],
    ['/absolute', 'absolute'],
    ['a\0b.png', 'ab.png'],
    ['line\nbreak\t.png', 'linebreak.png'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['\u2066hidden\u2069.png', 'hidden.png'],
    ['  spaces  .png ', 'spaces .png'],
    ['trailing...', 'trailing'],
    ['..', 'unnamed'],
    ['.', 'unnamed'],
    ['', 'unnamed'],
    ['\ud800', '\ufffd'],
    ['水泵 💧.svg', '水泵 💧.svg'],
    ['مضخة.png', 'مضخة.png'],
    ['e\u0301.png', '\u00e9.png'],
    ['.htaccess', '.htaccess'],
    ['a.bin; rm -rf', 'a.bin; rm -rf'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ])('%j is shown as %j', (sent, shown) => {
    expect(displayName(sent)).toBe(shown)
  })

  it('is cut before its ending, never through a character', () => {
    expect(displayName(`${'长'.repeat(300)}.png`)).toBe(`${'长'.repeat(196)}.png`)
    for (let n = 190; n < 210; n++) {
      const cut = displayName(`${'a'.repeat(n % 7)}${'😀'.repeat(n)}.png`)
      expect(cut.length).toBeLessThanOrEqual(200)
      expect(cut.isWellFormed()).toBe(true)
      expect(cut).toMatch(/(a|😀)\.png$/u)
    }
  })

  it('has tags once, trimmed', () => {
    expect(cleanTags([' a ', 'a', '', 'b'])).toEqual(['a', 'b'])
  })
})

describe('a range', () => {
  it.each([
    ['bytes=0-4', { start: 0, end: 4 }],
    ['bytes=5-', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-100', { start: 0, end: 9 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=3-1000', { start: 3, end: 9 }],
    ['bytes=10-', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=4-2', null],
    ['bytes=0-1,3-4', null],
    ['bytes=-', null],
    ['bytes=a-b', null],
    ['items=0-1', null],
    ['bytes=99999999999999999999-', null],
    [undefined, null],
  ])('%s of ten bytes', (header, range) => {
    expect(byteRange(header, 10)).toEqual(range)
  })
})

describe('a signed address', () => {
  const links = createMediaLinks('k'.repeat(64))
  const id = '01900000-0000-7000-8000-000000000001'
  const now = 1_800_000_123_000
  const parts = (url: string) => {
    const query = new URL(url, 'http://x').searchParams
    return [Number(query.get('e')), query.get('s')!] as const
  }

  it('is good for ten to twenty minutes, and stays the same so long that browsers can cache', () => {
    const { url, thumbUrl } = links.sign(id, now, 'abcd')
    const [e, s] = parts(url)
    expect(thumbUrl).toContain(`/media/${id}/thumb?`)
    expect(e * 1000 - now).toBeGreaterThan(600_000)
    expect(e * 1000 - now).toBeLessThanOrEqual(1_200_000)
    expect(links.check(id, e, s, now)).toBe('valid')
    expect(links.check(id, e, s, e * 1000 - 1)).toBe('valid')
    expect(links.check(id, e, s, e * 1000)).toBe('expired')
    expect(links.sign(id, now + 1000, 'abcd').url).toBe(url)
  })

  it('is good for nothing else', () => {
    const [e, s] = parts(links.sign(id, now, '').url)
    for (const [otherId, otherE, otherS] of [
      [id.replace('1', '2'), e, s],
      [id, e + 600, s],
      [id, 1e15, s],
      [id, Number.NaN, s],
      [id, undefined, s],
      [id, e, undefined],
      [id, e, ''],
      [id, e, s.slice(1)],
      [id, e, `${s.slice(0, -1)}${s.endsWith('A') ? 'B' : 'A'}`],
      [id, e, `${s}AAAA`],
    ] as const)
      expect(links.check(otherId, otherE, otherS, now)).toBe('invalid')
    expect(createMediaLinks('x'.repeat(64)).check(id, e, s, now)).toBe('invalid')
  })
})
