import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { usePackage } from '../hooks.ts'
import css from '../ota.module.css'
import { signOfPackage } from '../words.ts'
import own from './components.module.css'

/** Chooses a package to roll out, searched at the server; of one product where that is known. */
export function PackageSelect({
  id,
  value,
  productId,
  onChange,
  disabled,
  invalid,
}: {
  id: string
  value: string | null
  productId: string | null
  onChange: (id: string | null, chosen: FirmwarePackageView | null) => void
  disabled: boolean
  invalid: boolean
}) {
  const { t } = useTranslation('ota')
  const [q, setQ] = useState('')
  const found = useRead(
    'firmware.list',
    { query: { limit: 50, ...(productId ? { productId } : {}), ...(q === '' ? {} : { q }) } },
    { keep: true },
  )
  const chosen = usePackage(value).data
  const items = useMemo(() => {
    const list = found.data?.items ?? []
    return chosen && !list.some(each => each.id === chosen.id) ? [chosen, ...list] : list
  }, [found.data, chosen])
  return (
    <Select
      id={id}
      style={{ width: '100%' }}
      disabled={disabled}
      {...(invalid ? { status: 'error' as const } : {})}
      placeholder={t('packagePlaceholder')}
      loading={found.isFetching}
      value={value}
      options={items.map(each => ({
        value: each.id,
        label: `${each.productName} · ${each.version} · ${each.name}`,
        disabled: each.state === 'disabled' || each.state === 'verification_failed',
        of: each,
      }))}
      showSearch={{ filterOption: false, onSearch: setQ }}
      optionRender={({ data }) => (
        <span className={own.option}>
          <code>{data.of.version}</code>
          <span className={own.optionName} dir="auto">
            {data.of.name}
          </span>
          <span className={css.muted}>{data.of.productName}</span>
          <StatusTag kind={signOfPackage(data.of.state)}>{t(`packageState.${data.of.state}`)}</StatusTag>
        </span>
      )}
      notFoundContent={found.isFetching ? t('searching') : t('noPackages')}
      onChange={next => onChange(next ?? null, items.find(each => each.id === next) ?? null)}
    />
  )
}
