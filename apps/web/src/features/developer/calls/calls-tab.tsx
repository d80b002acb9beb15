import { ReloadOutlined } from '@ant-design/icons'
import { Button, Checkbox, Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { LazySelect } from '../../../ui/lazy-select/lazy-select.tsx'
import { Stack } from '../../../ui/panel.tsx'
import css from '../developer.module.css'
import { useCallStatistics, useCalls, useKeyNames } from '../hooks.ts'
import { CallLog } from './call-log.tsx'
import { CallStatisticsView } from './call-statistics.tsx'
import own from './calls.module.css'

const HOURS = ['1', '24', '168', '720'] as const

/** What programs with a key called: how much, how fast, what failed, and the last hundred calls of each key. */
export function CallsTab() {
  const { t } = useTranslation('developer')
  const [params, setParams] = useSearchParams()
  const hours = HOURS.find(each => each === params.get('hours')) ?? '24'
  const keyId = params.get('key') ?? ''
  const route = params.get('route') ?? ''
  const errorsOnly = params.get('errors') === '1'
  const set = (name: string, value: string | null) =>
    setParams(
      before => {
        const next = new URLSearchParams(before)
        if (value === null || value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  const names = useKeyNames()
  const keys = names.data?.items ?? []
  const narrowed = { ...(keyId ? { keyId } : {}), ...(route ? { route } : {}) }
  const statistics = useCallStatistics({ hours: Number(hours), ...narrowed })
  const calls = useCalls({ ...narrowed, ...(errorsOnly ? { errors: '1' as const } : {}) })
  const options = keys.map(each => ({ value: each.id, label: each.name }))
  if (keyId && !options.some(each => each.value === keyId)) options.push({ value: keyId, label: keyId })
  const routes = [...new Set([...(route ? [route] : []), ...(statistics.data?.routes ?? []).map(each => each.route)])]
  return (
    <Stack>
      <div className={css.filterBar}>
        <Segmented
          aria-label={t('calls.period')}
          value={hours}
          options={HOURS.map(value => ({ value, label: t(`calls.hours.${value}`) }))}
          onChange={value => set('hours', value === '24' ? null : value)}
        />
        <LazySelect
          className={css.select}
          aria-label={t('calls.key')}
          placeholder={t('calls.allKeys')}
          allowClear
          showSearch
          loading={names.isPending}
          value={keyId || null}
          options={options}
          onChange={value => set('key', value ?? null)}
        />
        <LazySelect
          className={own.wideSelect}
          aria-label={t('calls.route')}
          placeholder={t('calls.allRoutes')}
          allowClear
          showSearch
          popupMatchSelectWidth={false}
          value={route || null}
          options={routes.map(value => ({ value, label: value }))}
          onChange={value => set('route', value ?? null)}
        />
        <Checkbox checked={errorsOnly} onChange={event => set('errors', event.target.checked ? '1' : null)}>
          {t('calls.errorsOnly')}
        </Checkbox>
        <Button
          icon={<ReloadOutlined aria-hidden />}
          aria-label={t('calls.refresh')}
          title={t('calls.refresh')}
          loading={statistics.isFetching || calls.isFetching}
          onClick={() => {
            void statistics.refetch()
            void calls.refetch()
          }}
        />
      </div>
      <CallStatisticsView
        query={statistics}
        onRoute={value => set('route', value)}
        onKey={value => set('key', value)}
      />
      <CallLog
        query={calls}
        narrowed={keyId !== '' || route !== '' || errorsOnly}
        onClear={() => setParams({ tab: 'calls' }, { replace: true })}
      />
    </Stack>
  )
}
