import type { EndpointsView } from '@thingwright/contracts/developer.contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from '../developer.module.css'
import own from './access.module.css'

interface Line {
  key: 'mqtt' | 'mqtts' | 'mqttWs' | 'http' | 'ws' | 'tcp' | 'udp' | 'coap' | 'own'
  address: string | null
  protected: boolean
}

const encrypted = (url: string) => /^(https|wss):/.test(url)

/** The ways in for devices, with what each protects; closed ones are shown as such. */
export function DeviceAddresses({ host, devices }: { host: string; devices: EndpointsView['devices'] }) {
  const { t } = useTranslation('developer')
  const named = host.includes(':') ? `[${host}]` : host
  const at = (scheme: string, port: number | null) => (port === null ? null : `${scheme}://${named}:${port}`)
  const lines: Line[] = [
    { key: 'mqtt', address: at('mqtt', devices.mqttPort), protected: false },
    { key: 'mqtts', address: at('mqtts', devices.mqttsPort), protected: true },
    { key: 'mqttWs', address: devices.mqttWebSocketUrl, protected: encrypted(devices.mqttWebSocketUrl) },
    { key: 'http', address: devices.httpUrl, protected: encrypted(devices.httpUrl) },
    { key: 'ws', address: devices.webSocketUrl, protected: encrypted(devices.webSocketUrl) },
    { key: 'tcp', address: at('tcp', devices.tcpPort), protected: false },
    { key: 'udp', address: at('udp', devices.udpPort), protected: false },
    { key: 'coap', address: at('coap', devices.coapPort), protected: false },
    {
      key: 'own',
      address: devices.ownPorts ? `tcp://${named}:${devices.ownPorts.from}-${devices.ownPorts.to}` : null,
      protected: false,
    },
  ]
  return (
    <Panel
      flush
      title={t('access.devices')}
      hint={t('access.devicesHint')}
      actions={<Link to="/alonePage/ApiInterfaceOpen#device-protocol">{t('access.protocol')}</Link>}
    >
      <table className={css.table}>
        <thead>
          <tr>
            <th>{t('access.way')}</th>
            <th>{t('access.address')}</th>
            <th>{t('access.protection')}</th>
            <th>{t('access.use')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <tr key={line.key}>
              <th scope="row">{t(`access.ways.${line.key}`)}</th>
              <td>
                {line.address === null ? (
                  <StatusTag kind="disabled">{t('access.closed')}</StatusTag>
                ) : (
                  <CopyId value={line.address} />
                )}
              </td>
              <td>
                <StatusTag kind={line.protected ? 'success' : 'neutral'}>
                  {t(line.protected ? 'access.encrypted' : 'access.plain')}
                </StatusTag>
              </td>
              <td className={own.dim}>{t(`access.uses.${line.key}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
