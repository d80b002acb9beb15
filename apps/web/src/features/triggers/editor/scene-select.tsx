import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'

/** Which scene is run. */
export function SceneSelect({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (sceneId: string | undefined) => void
}) {
  const { t } = useTranslation('triggers')
  const mayRead = useMay('scenes.list')
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const found = useRead(
    'scenes.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: mayRead, staleTime: 10_000, keep: true },
  )
  const chosen = useRead(
    'scenes.get',
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
      aria-label={t('scene')}
      placeholder={t('scene')}
      showSearch={{ filterOption: false, onSearch: setText }}
      loading={found.isFetching}
      value={value ?? null}
      notFoundContent={t(mayRead ? 'noScenes' : 'scenesHidden')}
      options={[...more, ...items].map(({ id, name }) => ({ value: id, label: name }))}
      onChange={id => onChange(id ?? undefined)}
    />
  )
}
