import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** Which camera takes the picture; none chosen: those of the device. */
export function CameraSelect({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (channelId: string | undefined) => void
}) {
  const { t } = useTranslation('triggers')
  const mayRead = useMay('videoChannels.list')
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const found = useRead(
    'videoChannels.list',
    { query: { limit: 20, source: 'ezviz', ...(q === '' ? {} : { q }) } },
    { enabled: mayRead, staleTime: 10_000, keep: true },
  )
  const chosen = useRead(
    'videoChannels.get',
    { params: { id: value ?? '' } },
    { enabled: mayRead && value !== undefined, staleTime: 60_000, retry: false },
  )
  const items = found.data?.items ?? []
  const more =
    value !== undefined && !items.some(({ id }) => id === value)
      ? [{ id: value, name: chosen.data?.name ?? value }]
      : []
  return (
    <Select
      aria-label={t('camera')}
      placeholder={t('camerasOfDevice')}
      allowClear
      showSearch={{ filterOption: false, onSearch: setText }}
      loading={found.isFetching}
      value={value ?? null}
      notFoundContent={t(mayRead ? 'noCameras' : 'camerasHidden')}
      options={[...more, ...items].map(({ id, name }) => ({ value: id, label: name }))}
      onChange={id => onChange(id ?? undefined)}
    />
  )
}
