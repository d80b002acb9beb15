import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** One of the cameras that the person sees. */
export function CameraSelect({
  value,
  onChange,
  ...common
}: {
  size: 'small'
  disabled: boolean
  'aria-label': string
  value: string
  onChange(value: string): void
}) {
  const may = useMay('videoChannels.list')
  const found = useRead('videoChannels.list', { query: { limit: 100 } }, { enabled: may, staleTime: 30_000 })
  const { t } = useTranslation('cloud-pages')
  const options = (found.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const known = value === '' || options.some(option => option.value === value)
  const isGone = !known && found.data !== undefined && found.data.nextCursor === null
  return (
    <Select
      {...common}
      allowClear
      showSearch={{ optionFilterProp: 'label' }}
      loading={found.isFetching}
      placeholder={t('chooseCamera')}
      value={value === '' ? undefined : value}
      {...(isGone ? { status: 'error' as const } : {})}
      options={known ? options : [{ value, label: isGone ? t('cameraGone') : `${value.slice(0, 8)}…` }, ...options]}
      onChange={(next: string | undefined) => onChange(next ?? '')}
    />
  )
}
