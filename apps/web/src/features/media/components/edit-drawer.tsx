import type { MediaView } from '@thingwright/contracts/media.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useFolders, useUsage } from '../hooks.ts'
import { FolderSelect } from './folder-select.tsx'

/** Name, folder, tags and whether its plain address works for everybody. */
export function EditMediaDrawer({ media, onClose }: { media: MediaView; onClose: () => void }) {
  const { t } = useTranslation('media')
  const update = useAct('media.update')
  const folders = useFolders().data?.items
  const tags = useUsage().data?.tags
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 200 },
      {
        key: 'folderId',
        kind: 'custom',
        label: t('folderTitle'),
        render: input => (
          <FolderSelect
            id={input.id}
            folders={folders ?? []}
            value={(input.value as string | null) ?? null}
            onChange={input.onChange}
          />
        ),
      },
      {
        key: 'tags',
        kind: 'tags',
        label: t('tags'),
        maxItems: 20,
        maxLength: 32,
        suggestions: (tags ?? []).map(({ tag }) => tag),
      },
      { key: 'public', kind: 'bool', label: t('publicLink'), help: t('publicHelp') },
    ],
    [t, folders, tags],
  )
  return (
    <FormDrawer
      title={t('editTitle')}
      fields={fields}
      initial={{ name: media.name, folderId: media.folderId, tags: media.tags, public: media.public }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async (values, newer) => {
        await update.send({
          params: { id: media.id },
          body: { ...values, version: newer ?? media.version } as Body<'media.update'>,
        })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
