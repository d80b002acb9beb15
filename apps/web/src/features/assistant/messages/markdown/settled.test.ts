import { describe, expect, it } from 'vitest'
import { settled } from './settled.ts'

describe('an answer that is still arriving', () => {
  it.each([
    ['some **bold', 'some **bold**'],
    ['some **', 'some '],
    ['some **bold** and *more', 'some **bold** and *more*'],
    ['a `code', 'a `code`'],
    ['a `', 'a '],
    ['gone ~~wrong', 'gone ~~wrong~~'],
    ['see [the page', 'see the page'],
    ['see [the page]', 'see the page'],
    ['see [the page](/manage', 'see the page'],
    ['see **[the page](/man', 'see **the page**'],
    ['a picture ![alt](https://x', 'a picture alt'],
    ['see [the page](/manage/device) and', 'see [the page](/manage/device) and'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['a \\*quoted\\* name \\[x', 'a \\*quoted\\* name \\[x'],
    ['cut off \\', 'cut off '],
    ['`**` is bold', '`**` is bold'],
  ])('%j is shown as %j', (arrived, shown) => expect(settled(arrived)).toBe(shown))

  it.each([
    ['text\n-', 'text'],
    ['text\n---', 'text'],
    ['text\n===', 'text'],
    ['- a\n- b\n-', '- a\n- b'],
    ['1. a\n2.', '1. a'],
    ['##', ''],
    ['``', ''],
    ['| a | b |', ''],
    ['| a | b |\n|--', ''],
    ['| a | b |\n|---|', ''],
    ['| a | b |\n|---|---|', '| a | b |\n|---|---|'],
    ['| a | b |\n|---|---|\n| 1', '| a | b |\n|---|---|\n| 1'],
    ['intro\n| a | b |\n|', 'intro'],
  ])('%j holds back what cannot be told yet', (arrived, shown) => expect(settled(arrived)).toBe(shown))

  it('shows code as it comes, without the beginning of its end', () => {
    expect(settled('```js\nlet **a')).toBe('```js\nlet **a')
    expect(settled('```js\nlet a\n``')).toBe('```js\nlet a')
    expect(settled('```js\nlet a\n```')).toBe('```js\nlet a\n```')
  })

  it('never shows a mark of markdown that the whole text does not show', () => {
    const whole = 'A **bold** word, `code`, a [link](/manage/device), ~~gone~~ and *soft* text.'
    for (let at = 1; at <= whole.length; at++) {
      const shown = settled(whole.slice(0, at))
      const marks = [...shown.matchAll(/\*\*|~~|`/g)].length
      expect(marks % 2, shown).toBe(0)
      expect(shown, shown).not.toMatch(/\[[^\]]*$|\]\([^)]*$/)
    }
  })
})
