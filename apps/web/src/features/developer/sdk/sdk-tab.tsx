import type { EndpointsView } from '@thingwright/contracts/developer.contract'
import { Button, Segmented, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFile } from '../../../lib/server-state/use-read.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { CodeBox } from '../components/code-box.tsx'
import { saveText } from '../components/save-text.ts'
import css from '../developer.module.css'
import { useEndpoints } from '../hooks.ts'
import { EXAMPLES, type ExampleKind, exampleText } from './example-files.ts'

const KINDS = Object.keys(EXAMPLES) as ExampleKind[]

/** A device of a few lines, with the listener's own address. */
const nodeSample = (url: string) => `import { CommandRefusal, connectDevice } from '@thingwright/device-sdk'

const device = await connectDevice({
  url: '${url}',
  productKey: 'PRODUCT',
  deviceNo: 'DEVICE',
  deviceSecret: process.env.DEVICE_SECRET ?? '',
})
device.onPropertySet(({ pump }) => {
  if (typeof pump !== 'boolean') throw new CommandRefusal(2, 'only pump can be set')
  return { pump } // reported as the new value
})
setInterval(() => void device.postProperties({ temperature: readSensor() }), 10_000)
`

/** The plain listener; where there is none MQTT over WebSocket, which stands at the console's own port. */
function mqttUrl({ host, devices }: EndpointsView): string {
  const named = host.includes(':') ? `[${host}]` : host
  return devices.mqttPort === null ? devices.mqttWebSocketUrl : `mqtt://${named}:${devices.mqttPort}`
}

/** Libraries and whole devices to begin from, and the interface description for other tools. */
export function SdkTab() {
  const { t } = useTranslation('developer')
  const endpoints = useEndpoints()
  return (
    <Stack>
      <Examples />
      <Panel title={t('sdk.node')} hint={t('sdk.nodeHint')}>
        {endpoints.isError ? (
          <ErrorState error={endpoints.error} onRetry={() => void endpoints.refetch()} />
        ) : endpoints.data ? (
          <CodeBox label={t('sdk.node')} text={nodeSample(mqttUrl(endpoints.data))} />
        ) : (
          <Skeleton active paragraph={{ rows: 8 }} />
        )}
      </Panel>
      <Panel title={t('sdk.tools')} hint={t('sdk.toolsHint')}>
        <ul className={css.tools}>
          <li>
            <a href="/api/openapi.json" download="openapi.json">
              openapi.json
            </a>
            <span>{t('sdk.openapi')}</span>
          </li>
          <li>
            <a href="/alonePage/ApiInterfaceOpen#device-protocol">{t('access.protocol')}</a>
            <span>{t('sdk.protocol')}</span>
          </li>
          <li>
            <code>npm run simulate -- --help</code>
            <span>{t('sdk.simulate')}</span>
          </li>
        </ul>
      </Panel>
    </Stack>
  )
}

function Examples() {
  const { t } = useTranslation('developer')
  const [kind, setKind] = useState<ExampleKind>('c')
  const [chosen, setChosen] = useState<string>(EXAMPLES.c[0])
  const files: readonly string[] = EXAMPLES[kind]
  const file = files.includes(chosen) ? chosen : files[0]!
  const name = file.split('/').at(-1)!
  const text = useFile(file, () => exampleText(file))
  return (
    <Panel
      title={t('sdk.examples')}
      hint={t('sdk.examplesHint')}
      actions={
        <Button disabled={!text.data} onClick={() => saveText(name, text.data ?? '')}>
          {t('sdk.save', { name })}
        </Button>
      }
    >
      <div className={css.choices}>
        <Segmented
          aria-label={t('sdk.examples')}
          value={kind}
          options={KINDS.map(value => ({ value, label: t(`sdk.kind.${value}`) }))}
          onChange={value => setKind(value)}
        />
        {files.length > 1 && (
          <Segmented
            size="small"
            aria-label={t('sdk.file')}
            value={file}
            options={files.map(value => ({ value, label: value.split('/').at(-1)! }))}
            onChange={value => setChosen(value)}
          />
        )}
      </div>
      <p className={css.text}>{t(`sdk.text.${kind}`)}</p>
      {text.isError ? (
        <ErrorState error={text.error} onRetry={() => void text.refetch()} />
      ) : text.data ? (
        <CodeBox label={name} text={text.data} tall />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Panel>
  )
}
