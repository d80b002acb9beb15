import { describe, expect, it } from 'vitest'
import { SNIPPETS_OF, snippetOf, WAYS, type WayFacts } from './snippets.ts'

const facts: WayFacts = {
  host: 'iot.example',
  mqttPort: 1883,
  tcpPort: 6101,
  udpPort: 6001,
  coapPort: 5683,
  base: 'http://iot.example:8080/device/v1/pk/SN-1',
  wsUrl: 'ws://iot.example:8080/mqtt',
  deviceWsUrl: 'ws://iot.example:8080/device/ws',
  productKey: 'pk',
  payload: `{"note":"it's"}`,
  deviceNo: 'SN-1',
  secret: 's3cr3t',
}

describe('code to paste', () => {
  it('every way in has some, with address, number and secret', () => {
    for (const way of WAYS)
      for (const name of SNIPPETS_OF[way]) {
        const text = snippetOf(way, name, facts)
        expect(text, `${way} ${name}`).toContain('iot.example')
        expect(text, `${way} ${name}`).toContain('s3cr3t')
        expect(text, `${way} ${name}`).not.toContain('undefined')
      }
  })

  it('quotes for the shell and tells modules how many bytes follow', () => {
    expect(snippetOf('mqtt', 'mosquitto', facts)).toContain(`-m '{"note":"it'\\''s"}'`)
    expect(snippetOf('tcp', 'quectel', facts)).toContain('AT+QISEND=0,16\n> pk/SN-1/s3cr3t<CR><LF>')
    expect(snippetOf('tcp', 'nc', facts)).toContain('nc iot.example 6101')
  })
})
