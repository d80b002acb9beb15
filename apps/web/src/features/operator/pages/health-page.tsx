import type { HealthView } from '@thingwright/contracts/operator.contract'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { every } from '../../../lib/every.ts'
import { formatBytes, formatDuration, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../operator.module.css'

const KIND = { ok: 'success', warning: 'warning', down: 'error' } as const
const REREAD_MS = 3_000
/** A component with more readings than this shows those that are not zero first. */
const LONG = 12
const SIGN_INS_REFUSED = 'gateway_sign_ins_refused_'

/** How every component of the installation is; read again every three seconds. */
export function HealthPage() {
  const { t } = useTranslation('operator')
  const allowed = useMay('operator.health')
  const health = useRead('operator.health', {}, { enabled: allowed, refetchInterval: every(REREAD_MS) })
  if (!allowed) return <NoPermissionState of="operator.health" />
  const { data } = health
  return (
    <>
      <PageHeader
        title={t('health')}
        description={t('healthLead')}
        extra={data && <Overall components={data.components} />}
      />
      {health.isError && !data ? (
        <Panel>
          <ErrorState error={health.error} onRetry={() => void health.refetch()} />
        </Panel>
      ) : !data ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 8 }} />
        </Panel>
      ) : (
        <Stack>
          {health.isError && (
            <Panel>
              <ErrorState error={health.error} onRetry={() => void health.refetch()} />
            </Panel>
          )}
          <Panel>
            <Facts
              items={[
                { label: t('version'), value: data.version },
                { label: 'Node', value: data.node },
                { label: t('uptime'), value: formatDuration(data.uptimeSeconds * 1000) },
                { label: t('readAt'), value: <TimeText value={data.at} mode="absolute" /> },
              ]}
            />
          </Panel>
          <div className={css.cards}>
            {data.components.map(component => (
              <Component key={component.key} component={component} />
            ))}
          </div>
        </Stack>
      )}
    </>
  )
}

function Overall({ components }: { components: HealthView['components'] }) {
  const { t } = useTranslation('operator')
  const worst = components.some(c => c.state === 'down')
    ? 'down'
    : components.some(c => c.state === 'warning')
      ? 'warning'
      : 'ok'
  return <StatusTag kind={KIND[worst]}>{t(`healthState.${worst}`)}</StatusTag>
}

function Component({ component }: { component: HealthView['components'][number] }) {
  const { t, i18n } = useTranslation('operator')
  const [all, setAll] = useState(false)
  const named = (key: string) => {
    if (i18n.exists(`operator:fact.${key}`)) return t(`fact.${key}`)
    return key.startsWith(SIGN_INS_REFUSED) ? t('signInsRefused', { reason: key.slice(SIGN_INS_REFUSED.length) }) : key
  }
  const atZero = component.facts.filter(fact => fact.value === 0)
  const isLong = component.facts.length > LONG && atZero.length > 0
  const facts = isLong && !all ? component.facts.filter(fact => fact.value !== 0) : component.facts
  return (
    <div data-testid={`health-${component.key}`}>
      <Panel
        title={i18n.exists(`operator:component.${component.key}`) ? t(`component.${component.key}`) : component.key}
        actions={<StatusTag kind={KIND[component.state]}>{t(`healthState.${component.state}`)}</StatusTag>}
      >
        <dl className={css.facts}>
          {facts.map(fact => (
            <div key={fact.key}>
              <dt title={fact.key}>{named(fact.key)}</dt>
              <dd>{shown(fact)}</dd>
            </div>
          ))}
        </dl>
        {isLong && (
          <Button type="link" size="small" className={css.more} onClick={() => setAll(!all)}>
            {all ? t('hideZero') : t('showZero', { count: atZero.length })}
          </Button>
        )}
      </Panel>
    </div>
  )
}

function shown({ value, unit }: HealthView['components'][number]['facts'][number]): string {
  if (typeof value !== 'number') return String(value)
  if (unit === 'bytes') return formatBytes(value)
  if (unit === 'ms') return formatNumber(Math.round(value * 10) / 10, { unit: 'ms' })
  if (unit === 'text') return String(value)
  return formatNumber(Math.round(value * 100) / 100)
}
