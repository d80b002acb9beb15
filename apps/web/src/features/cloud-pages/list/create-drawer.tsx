import type { PageView } from '@thingwright/contracts/cloud-pages.contract'
import { PAGE_KINDS, SUFFIX_PATTERN } from '@thingwright/contracts/cloud-pages.words'
import { fromTemplate, TEMPLATES, type TemplateName } from '@thingwright/scene'
import { isFuxaProject } from '@thingwright/scene/fuxa/fuxa-project'
import { Upload } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { type Body, call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { editorAt, suffixFor } from '../hooks.ts'

/** Longest file that is read, bytes: a page, and a project of another program. */
const MOST = 1_000_000
const MOST_OF_PROJECT = 20_000_000

/** Makes a page: empty, of a file, or as a copy. */
export function CreateDrawer({
  from,
  copyOf,
  onProject,
  onClose,
}: {
  from: 'create' | 'import' | 'copy'
  copyOf: PageView | null
  /** The file is a project of FUXA, which has several pages. */
  onProject(project: unknown, name: string): void
  onClose: () => void
}) {
  const { t, i18n } = useTranslation('cloud-pages')
  const navigate = useNavigate()
  const create = useAct('cloudPages.create')
  const [file, setFile] = useState<{ name: string; scene: unknown } | null>(null)
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'suffix',
        kind: 'string',
        label: t('suffix'),
        required: true,
        maxLength: 32,
        pattern: new RegExp(SUFFIX_PATTERN),
        patternText: t('suffixRule'),
        help: t('suffixHelp'),
        mono: true,
      },
      ...(from === 'create'
        ? [
            {
              key: 'template',
              kind: 'enum' as const,
              label: t('template'),
              required: true,
              options: ['none', ...TEMPLATES].map(value => ({ value, label: t(`templates.${value}`) })),
            },
            {
              key: 'kind',
              visible: (values: Values) => values.template === 'none',
              kind: 'enum' as const,
              label: t('kind'),
              required: true,
              display: 'cards' as const,
              options: PAGE_KINDS.map(value => ({
                value,
                label: t(`kinds.${value}`),
                help: t(`kindHelp.${value}`),
              })),
            },
          ]
        : []),
    ],
    [t, from],
  )
  const initial = useMemo(
    () => ({
      ...(copyOf ? { name: t('copyName', { name: copyOf.name }).slice(0, 64) } : {}),
      suffix: suffixFor(copyOf?.suffix ?? ''),
      ...(from === 'create' ? { kind: 'canvas', template: 'none' } : {}),
    }),
    [copyOf, from, t],
  )
  const read = (chosen: File) => {
    if (chosen.size > MOST_OF_PROJECT) {
      notify.error(t('fuxa.tooLarge'))
      return
    }
    void chosen.text().then(text => {
      try {
        const content = JSON.parse(text.replace(/^\ufeff/, '')) as { name?: unknown; scene?: unknown }
        if (isFuxaProject(content)) onProject(content, chosen.name)
        else if (chosen.size > MOST) notify.error(t('fileTooLarge'))
        else setFile({ name: chosen.name, scene: content.scene ?? content })
      } catch {
        notify.error(t('fileUnreadable'))
      }
    })
  }
  return (
    <FormDrawer
      title={t(`${from}Title`)}
      fields={fields}
      initial={initial}
      submitText={t(from)}
      intro={
        from === 'import' ? (
          <Upload.Dragger
            accept=".json,.fuxap"
            showUploadList={false}
            beforeUpload={chosen => {
              read(chosen)
              return false
            }}
          >
            <p>{file ? file.name : t('chooseFile')}</p>
          </Upload.Dragger>
        ) : undefined
      }
      onSubmit={async ({ template, ...values }) => {
        if (from === 'import' && !file) {
          notify.error(t('chooseFile'))
          throw new Error('no file')
        }
        const scene =
          from === 'import'
            ? file!.scene
            : copyOf
              ? (await call('cloudPages.get', { params: { id: copyOf.id } })).scene
              : template && template !== 'none'
                ? fromTemplate(template as TemplateName, i18n.language === 'en' ? 'en' : 'zh', String(values.name))
                : undefined
        const page = await create.send({
          body: { ...values, ...(scene === undefined ? {} : { scene }) } as Body<'cloudPages.create'>,
        })
        notify.success(t('created', { name: page.name }))
        onClose()
        await navigate(editorAt(page.id))
      }}
      onClose={onClose}
    />
  )
}
