import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadTexts, registerTexts } from '../../../../lib/i18n.ts'
import { startTexts } from '../../../../lib/testing.ts'
import { Markdown } from './markdown.tsx'

beforeAll(async () => {
  await startTexts()
  registerTexts({
    './messages/locales/zh.json': async () => (await import('../locales/zh.json')).default,
    './ui/locales/zh.json': async () => (await import('../../../../ui/locales/zh.json')).default,
  })
  await loadTexts('messages', 'ui')
})

const drawn = (text: string, arriving = false) =>
  renderToStaticMarkup(
    <MemoryRouter>
      <Markdown text={text} arriving={arriving} />
    </MemoryRouter>,
  )

describe('markdown of an answer', () => {
  it('is drawn with tables, code and links to our pages', () => {
    const html = drawn(
      '**Three** [devices](/manage/device?q=x)\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```json\n{"a":1}\n```',
    )
    expect(html).toContain('<strong>Three</strong>')
    expect(html).toContain('href="/manage/device?q=x"')
    expect(html).toContain('<td style="text-align:right">2</td>')
    expect(html).toMatch(/<span>json<\/span>[\s\S]*<pre[^>]*>{&quot;a&quot;:1}<\/pre>/)
  })

  it.each([
    '![x](https://evil.example/a.png?secret)',
    '![x][1]\n\n[1]: https://evil.example/a.png',
    '<img src="https://evil.example/a.png" onerror="alert(1)">',
    '<script>alert(1)</script>',
    'text <svg onload=alert(1)> more',
    '<iframe src="https://evil.example"></iframe>',
    '<style>@import url(https://evil.example)</style>',
    '[click](javascript:alert(1))',
    '[click](data:text/html,x)',
    '[click](//evil.example)',
    '[click](/\\evil.example)',
    '[click](/api/v1/devices)',
    'me@evil.example',
    '[click](https://bank.example@evil.example/x)',
    '[click](https://bank.example:pw@evil.example/x)',
    '[click](ftp://evil.example)',
    '[click][2]\n\n[2]: javascript:alert(1)',
    '- [ ] task\n- [x] done',
  ])('draws nothing that leads or fetches elsewhere: %s', text => {
    const html = drawn(text)
    expect(html).not.toMatch(/<(img|script|svg|iframe|style|input|picture|link|object|form|a)\b/)
    expect(html).not.toMatch(/<[^>]*\s(href|src|on\w+)=/)
  })

  it.each([
    ['[our docs](https://docs.example/guide)', 'https://docs.example/guide'],
    ['see https://docs.example/guide', 'https://docs.example/guide'],
    ['<https://docs.example/guide>', 'https://docs.example/guide'],
    ['[https://bank.example](https://evil.example/x)', 'https://evil.example/x'],
  ])(
    'opens a page elsewhere in a tab of its own that knows nothing of ours, its address to be read: %s',
    (text, href) => {
      const html = drawn(text)
      const [, attributes, label] = /<a ([^>]*)>([^<]*)<\/a>/.exec(html)!
      expect(attributes).toContain(`href="${href}"`)
      expect(attributes).toContain('target="_blank"')
      expect(attributes).toMatch(/rel="[^"]*noopener[^"]*noreferrer/)
      expect(label).toBe(href)
      expect(html.match(/<a /g)).toHaveLength(1)
    },
  )

  it('shows what was written instead: HTML, the description of a picture, an address elsewhere', () => {
    expect(drawn('<b>bold</b>')).toContain('&lt;b&gt;bold&lt;/b&gt;')
    expect(drawn('<div>\nblock\n</div>')).toContain('&lt;div&gt;')
    expect(drawn('![a pump](https://evil.example/a.png)')).toContain('a pump')
    expect(drawn('[our docs](https://evil.example/x)')).toContain('our docs <a href="https://evil.example/x"')
  })

  it('shows half of a table or a link neither as marks nor as a link', () => {
    expect(drawn('See [the list](/manage/dev', true)).toContain('See the list')
    expect(drawn('| a | b |\n|-', true)).not.toContain('|')
  })
})
