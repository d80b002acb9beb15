import { describe, expect, it } from 'vitest'
import { parseSvg, type SvgNode } from './svg-icon.ts'

/** Everything that is left, as text. */
const flat = (node: SvgNode | null): string =>
  node === null
    ? ''
    : `<${node.tag}${Object.entries(node.attributes)
        .map(([name, value]) => ` ${name}="${value}"`)
        .join('')}>${node.children.map(flat).join('')}`

const PATH = '<path d="M1 1h2"/>'

describe('icons from data', () => {
  it('keeps shapes and paint', () => {
    const svg =
      '<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none"><g stroke="#1f5eff" stroke-width=\'1.4\'><path d="M1 1 L2.5-3e2,4"/><circle cx="8" cy="8" r="2" transform="rotate(45 8 8)"></circle></g></svg>'
    expect(flat(parseSvg(svg))).toBe(
      '<svg viewBox="0 0 16 16" fill="none"><g stroke="#1f5eff" stroke-width="1.4"><path d="M1 1 L2.5-3e2,4"><circle cx="8" cy="8" r="2" transform="rotate(45 8 8)">',
    )
  })

  it.each([
    ['a script', `<svg><script>alert(1)</script>${PATH}</svg>`],
    ['a script in capitals', `<svg><SCRIPT>alert(1)</SCRIPT>${PATH}</svg>`],
    ['a script with shapes inside', `<svg><script><path d="M9 9"/></script>${PATH}</svg>`],
    ['a handler on the root', `<svg onload="alert(1)">${PATH}</svg>`],
    ['a handler on a shape', '<svg><path d="M1 1h2" onclick="alert(1)" onmouseover=alert(1) /></svg>'],
    ['a handler after a slash', `<svg/onload=alert(1)>${PATH}</svg>`],
    ['foreign content', `<svg><foreignObject><iframe src="x"/><body onload="x"/></foreignObject>${PATH}</svg>`],
    ['a link', `<svg><a href="javascript:alert(1)"><path d="M9 9"/></a>${PATH}</svg>`],
    ['an external image', `<svg><image href="https://evil.example/x.png"/>${PATH}</svg>`],
    ['use of another document', `<svg><use xlink:href="https://evil.example/x.svg#a"/>${PATH}</svg>`],
    [
      'animation into an attribute',
      `<svg><set attributeName="onload" to="alert(1)"/><animate attributeName="href" values="javascript:alert(1)"/>${PATH}</svg>`,
    ],
    [
      'a style',
      `<svg style="background:url(https://evil.example)"><style>*{background:url(//evil)}</style>${PATH}</svg>`,
    ],
    ['paint from elsewhere', '<svg><path d="M1 1h2" fill="url(https://evil.example/#x)" stroke="URL(#a)"/></svg>'],
    ['entities', '<!DOCTYPE svg [<!ENTITY x "<script>alert(1)</script>">]><svg><path d="M1 1h2" fill="&x;"/>&x;</svg>'],
    ['CDATA', `<svg><![CDATA[<script>alert(1)</script>]]>${PATH}</svg>`],
    ['a namespaced script', `<svg xmlns:x="http://www.w3.org/1999/xhtml"><x:script>alert(1)</x:script>${PATH}</svg>`],
    ['text', `<svg>hello<text>evil</text>${PATH}</svg>`],
  ])('drops %s and keeps the shape beside it', (_, svg) => {
    expect(flat(parseSvg(svg))).toBe('<svg><path d="M1 1h2">')
  })

  it.each([
    ['nothing', ''],
    ['only words', 'hello'],
    ['an image tag', '<img src=x onerror=alert(1)>'],
    ['a drawing without shapes', '<svg><script>alert(1)</script></svg>'],
    ['a title that closes the drawing', `<svg><title></svg><img src=x onerror=alert(1)></title>${PATH}</svg>`],
    ['a drawing of empty groups', '<svg><g><g/></g></svg>'],
    ['a drawing that is too long', `<svg>${PATH.repeat(2000)}</svg>`],
    ['no text at all', undefined as unknown as string],
  ])('is nothing for %s', (_, svg) => expect(parseSvg(svg)).toBeNull())

  it('stops at a depth and a number of shapes instead of growing without end', () => {
    const deep = parseSvg(`<svg>${PATH}${'<g>'.repeat(900)}${PATH}${'</g>'.repeat(900)}</svg>`)
    const depth = (node: SvgNode): number => 1 + Math.max(0, ...node.children.map(depth))
    expect(depth(deep!)).toBeLessThan(20)
    const many = parseSvg(`<svg>${'<path d="M1"/>'.repeat(1000)}</svg>`)
    expect(many!.children.length).toBeLessThan(401)
  })
})
