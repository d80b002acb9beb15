import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { useNow } from '../../../ui/ticker.ts'
import { CodeBox } from '../components/code-box.tsx'
import css from '../developer.module.css'
import { useEndpoints } from '../hooks.ts'
import own from './access.module.css'
import { Certificates } from './certificates.tsx'
import { DeviceAddresses } from './device-addresses.tsx'

/** A clock that is off by more makes signatures and dated values doubtful. */
const CLOCK_TOLERANCE_MS = 2000

/** Where programs and devices find this installation: addresses, ports, certificates, clock. */
export function AccessTab() {
  const { t } = useTranslation('developer')
  const endpoints = useEndpoints()
  if (endpoints.isError)
    return (
      <Panel>
        <ErrorState error={endpoints.error} onRetry={() => void endpoints.refetch()} />
      </Panel>
    )
  if (!endpoints.data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 10 }} />
      </Panel>
    )
  const { api, appId, addresses, ntp, devices, host, certificates, offsetMs } = endpoints.data
  return (
    <Stack>
      <Panel title={t('access.api')} hint={t('access.apiHint')}>
        <Addresses
          items={[
            [t('access.base'), api.baseUrl],
            [t('access.token'), api.tokenUrl],
            [t('access.live'), api.liveUrl],
            [t('access.openapi'), api.openApiUrl],
            [t('access.tlink'), api.tlinkUrl],
            [t('access.mcp'), api.mcpUrl],
            [t('access.appId'), appId],
          ]}
        />
        <div className={own.start}>
          <h3>{t('access.start')}</h3>
          <p>{t('access.startText')}</p>
          <CodeBox
            label={t('access.start')}
            text={[
              `curl '${api.baseUrl}/devices?limit=20' \\\n  -H "Authorization: Bearer $API_KEY"`,
              `# ${t('access.orToken')}`,
              `curl '${api.tokenUrl}' \\\n  -d grant_type=client_credentials \\\n  --data-urlencode "client_id=twk_${'…'}" \\\n  --data-urlencode "client_secret=$API_KEY"`,
            ].join('\n\n')}
          />
        </div>
        <div className={own.start}>
          <h3>{t('access.mcpStart')}</h3>
          <p>{t('access.mcpText')}</p>
          <CodeBox label={t('access.mcpStart')} text={mcpConfiguration(api.mcpUrl)} />
        </div>
      </Panel>
      <DeviceAddresses host={host} devices={devices} />
      <Panel title={t('access.clock')} hint={t('access.clockHint')}>
        <Clock offsetMs={offsetMs} />
        <Addresses
          items={[
            [t('access.ntpRequest'), ntp.request],
            [t('access.ntpResponse'), ntp.response],
          ]}
        />
      </Panel>
      <Certificates certificates={certificates} />
      {addresses.length > 0 && (
        <Panel title={t('access.addresses')} hint={t('access.addressesHint')}>
          <ul className={css.chips}>
            {addresses.map(each => (
              <li key={each}>
                <CopyId value={each} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Stack>
  )
}

/** The file in which most AI tools are told of servers (`mcp.json`). */
function mcpConfiguration(url: string): string {
  const server = { type: 'http', url, headers: { Authorization: `Bearer twk_${'…'}` } }
  return JSON.stringify({ mcpServers: { thingwright: server } }, null, 2)
}

/** Names with what is to be copied below them, wide enough for an address. */
function Addresses({ items }: { items: [string, string][] }) {
  return (
    <dl className={own.addresses}>
      {items.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <CopyId value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Clock({ offsetMs }: { offsetMs: number }) {
  const { t } = useTranslation('developer')
  const now = useNow()
  const off = Math.abs(offsetMs) > CLOCK_TOLERANCE_MS
  return (
    <p className={own.clock}>
      <time dateTime={new Date(now + offsetMs).toISOString()}>{formatDateTime(now + offsetMs)}</time>
      <span className={off ? own.warn : css.quiet}>
        {off
          ? t(offsetMs > 0 ? 'access.clockBehind' : 'access.clockAhead', { by: formatDuration(Math.abs(offsetMs)) })
          : t('access.clockGood')}
      </span>
    </p>
  )
}
