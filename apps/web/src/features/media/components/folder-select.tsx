import type { MediaFolderView } from '@thingwright/contracts/media.contract'
import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { folderPath } from '../hooks.ts'

/** Chooses a folder by its path; null is the place outside every folder. */
export function FolderSelect({
  id,
  folders,
  value,
  onChange,
  without = NOTHING,
  outermost,
}: {
  id?: string
  folders: readonly MediaFolderView[]
  value: string | null
  onChange: (id: string | null) => void
  /** Folders that cannot be chosen. */
  without?: ReadonlySet<string>
  outermost?: string
}) {
  const { t } = useTranslation('media')
  return (
    <Select
      {...(id === undefined ? {} : { id })}
      style={{ width: '100%' }}
      showSearch={{ optionFilterProp: 'label' }}
      value={value ?? ''}
      onChange={chosen => onChange(chosen === '' ? null : chosen)}
      options={[
        { value: '', label: outermost ?? t('folder.none') },
        ...folders
          .filter(folder => !without.has(folder.id))
          .map(folder => ({ value: folder.id, label: folderPath(folders, folder.id) })),
      ]}
    />
  )
}

const NOTHING: ReadonlySet<string> = new Set()
