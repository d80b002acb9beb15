import { describe, expect, it } from 'vitest'
import { MAX_DRAWING_LENGTH, sanitiseDrawing } from './svg-drawing.ts'

const NS = 'xmlns="http://www.w3.org/2000/svg"'
const svg = (inner: string, attributes = '') => `<svg ${NS}${attributes}>${inner}</svg>`

describe('a drawing', () => {
  it('keeps shapes, text, gradients, clips and masks', () => {
    const drawing = svg(
      '<title>Pump &amp; 泵</title><defs><linearGradient id="a"><stop offset="0" stop-color="#fff"/></linearGradient><linearGradient id="b" href="#a"/><clipPath id="c"><rect width="1" height="1"/></clipPath></defs><g clip-path="url(#c)"><path d="M0 0L1 1" fill="url(#b)"/></g><text x="1" font-family="Noto Sans, \'微软雅黑\'">温度 <tspan>&#x2103;</tspan></text>',
      ' viewBox="0 0 10 10"',
    )
    expect(sanitiseDrawing(drawing)).toBe(drawing)
  })

  it('turns styles into attributes, so that colours stay', () => {
    const drawing = svg(
      '<style type="text/css"><![CDATA[.st0{fill:#FF0000;stroke:url(#g)} .x, .y { opacity: .5 } @import "http://evil"; * {fill:url(http://evil)}]]></style><path class="st0 x" d="M0 0"/><rect style="fill:#00f;background:url(http://evil);stroke-width:2" fill="red"/>',
    )
    expect(sanitiseDrawing(drawing)).toBe(
      svg('<path d="M0 0" fill="#FF0000" stroke="url(#g)" opacity=".5"/><rect fill="#00f" stroke-width="2"/>'),
    )
  })

  it('may begin as drawing programs begin it', () => {
    const head =
      '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
    expect(sanitiseDrawing(`${head}${svg('<rect width="1"/>')}`)).toBe(svg('<rect width="1"/>'))
  })

  it.each([
    ['script', '<script>alert(1)</script><rect width="1"/>', '<rect width="1"/>'],
    ['script in CDATA', '<script><![CDATA[alert(1)]]></script>', null],
    ['events', '<rect onload="alert(1)" onclick="x()" width="1"/>', '<rect width="1"/>'],
    ['foreign objects', '<foreignObject><body onload="x"/></foreignObject>', null],
    ['pictures', '<image href="http://evil/x.png"/><image href="data:image/png;base64,AA"/>', null],
    ['XLink', '<use xlink:href="http://evil#x"/><a xlink:href="javascript:alert(1)"><rect/></a>', null],
    ['multiplied parts', '<defs><g id="a"><use href="#a"/></g></defs>', '<defs><g id="a"/></defs>'],
    ['outside gradients', '<linearGradient href="http://evil#a" id="x"/>', '<linearGradient id="x"/>'],
    ['outside paints', '<rect fill="url(http://evil)" mask="url(//evil#m)" width="1"/>', '<rect width="1"/>'],
    ['hidden references', '<rect fill="&#106;avascript:x" width="1"/>', '<rect width="1"/>'],
    ['animation', '<animate attributeName="href" to="javascript:1"/><set/>', null],
    ['filters', '<filter id="f"><feImage href="http://evil"/></filter><rect filter="url(#f)"/>', '<rect/>'],
    ['iframes', '<iframe src="http://evil"/><embed/><object/>', null],
  ])('loses %s', (_, inner, kept) => {
    const clean = sanitiseDrawing(svg(inner))
    expect(clean).toBe(kept === null ? `<svg ${NS}/>` : svg(kept))
    expect(clean).not.toMatch(/script|evil|href="[^#]|on\w+=/i)
  })

  it.each([
    ['an external entity', `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg('<text>&x;</text>')}`],
    ['a billion laughs', `<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${svg('<text>&b;</text>')}`],
    ['an unknown entity', svg('<text>&nbsp;</text>')],
    ['a DOCTYPE of something else', `<!DOCTYPE html>${svg('')}`],
    ['HTML', '<html><body><svg/></body></html>'],
    ['two roots', svg('') + svg('')],
    ['text outside', `hello ${svg('')}`],
    ['an open end', `<svg ${NS}><g>`],
    ['crossed tags', svg('<g><text></g></text>')],
    ['a doubled attribute', svg('<rect x="1" x="2"/>')],
    ['65 levels', svg('<g>'.repeat(64) + '</g>'.repeat(64))],
    ['20,001 elements', svg('<g/>'.repeat(20_000))],
    ['more than a megabyte', svg('x'.repeat(MAX_DRAWING_LENGTH))],
    ['nothing', ''],
    ['bytes', '\u0000\u0001'],
  ])('is refused with %s', (_, text) => {
    expect(sanitiseDrawing(text)).toBeNull()
  })

  it.each([
    ['styles without end', `<svg ${NS}>${'<style>'.repeat(50_000)}`],
    ['styles that open only', svg(`<style>${'{'.repeat(300_000)}</style>`)],
    ['empty rules', svg(`<style>${'{}'.repeat(300_000)}</style>`)],
    ['a long style attribute', svg(`<rect style="${'a:b;'.repeat(100_000)}"/>`)],
    ['declarations', `<svg ${NS}>${'<!'.repeat(200_000)}`],
    ['blanks', `<svg ${' '.repeat(500_000)}`],
    ['comments', svg('<!-- -->'.repeat(100_000))],
  ])('of hostile shape (%s) is read in linear time', { timeout: 60_000 }, (_, text) => void sanitiseDrawing(text))
})
