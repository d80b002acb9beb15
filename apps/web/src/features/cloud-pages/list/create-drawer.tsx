import type { PageView } from '@thingwright/contracts/cloud-pages.contract'
import { PAGE_KINDS, SUFFIX_PATTERN } from '@thingwright/contracts/cloud-pages.words'
import { fromTemplate, TEMPLATES, type TemplateName } from '@thingwright/scene'
import { isFuxaProject } from '@thingwright/scene/fuxa/fuxa-project'
import { Alert, Upload } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { type Body, call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import css from '../cloud-pages.module.css'
import { editorAt, listed, suffixFor } from '../hooks.ts'
import { bindingStore } from './binding-store.ts'
import { ImportBindings } from './import-bindings.tsx'
import { type Chosen, findBindings, type Here, rebound } from './page-bindings.ts'
import {
  bringPage,
  type MissingPicture,
  MOST_OF_PICTURES,
  type ReadFile,
  readPageFile,
  withoutContent,
} from './page-file.ts'
import { pictureStore } from './picture-store.ts'

/** A file that was chosen, with what of it is found in this company. */
interface ChosenFile extends ReadFile {
  name: string
  here: Here | null
}
const NOTHING_CHOSEN: Chosen = { devices: new Map(), cameras: new Map() }

/** Longest file that is read, bytes: a page without pictures, a page with them in base64, a project of another program. */
const MOST = 1_000_000
const MOST_WITH_PICTURES = 2 * MOST + Math.ceil((MOST_OF_PICTURES * 4) / 3)
const MOST_OF_PROJECT = 20_000_000
/** Long enough to read names of pictures. */
const READ_MS = 12_000

/** What is called the same is chosen at first. */
const suggested = (here: Here): Chosen => ({
  devices: new Map(
    here.unboundRoles.flatMap(({ key, suggested: id }) => {
      const device = [...here.devices.values()].find(each => each.id === id)
      return device ? [[key, { id: device.id, productId: device.productId }]] : []
    }),
  ),
  cameras: new Map(here.unboundCameras.map(({ key, suggested: id }) => [key, id])),
})

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
  const create = useAct('cloudPages.create', { touches: ['media'] })
  const [file, setFile] = useState<ChosenFile | null>(null)
  const [chosen, setChosen] = useState(NOTHING_CHOSEN)
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
  const { attempt } = useWork()
  const read = async (picked: File) => {
    if (picked.size > MOST_WITH_PICTURES) {
      notify.error(t('fileTooLarge', { limit: Math.floor(MOST_WITH_PICTURES / 1_000_000) }))
      return
    }
    let content: unknown
    try {
      content = JSON.parse((await picked.text()).replace(/^\ufeff/, ''))
    } catch {
      notify.error(t('fileUnreadable'))
      return
    }
    if (isFuxaProject(content)) {
      if (picked.size > MOST_OF_PROJECT) notify.error(t('fuxa.tooLarge'))
      else onProject(content, picked.name)
      return
    }
    const inFile = readPageFile(content)
    if (picked.size > MOST && inFile.pictures.length === 0) {
      notify.error(t('fileTooLarge', { limit: MOST / 1_000_000 }))
      return
    }
    setFile(null)
    const here = inFile.scene ? await findBindings(inFile.scene, inFile.bindings, bindingStore) : null
    setChosen(here ? suggested(here) : NOTHING_CHOSEN)
    setFile({ name: picked.name, ...inFile, here })
  }
  const page =
    file?.scene && file.here
      ? { name: file.name, scene: rebound(file.scene, file.here, chosen), pictures: file.pictures }
      : null
  const absent = page ? withoutContent(page) : []
  const brought = page ? page.pictures.filter(({ content }) => content !== null).length : 0
  const sayMissing = (missing: readonly MissingPicture[]) => {
    const names = missing.map(({ name, reason }) => (reason === '' ? name : t('pictureReason', { name, reason })))
    if (names.length > 0) notify.warning(t('picturesMissing', { names: listed(names) }), { durationMs: READ_MS })
  }
  return (
    <FormDrawer
      title={t(`${from}Title`)}
      fields={fields}
      initial={initial}
      submitText={t(from)}
      intro={
        from === 'import' ? (
          <>
            <Upload.Dragger
              accept=".json,.fuxap"
              showUploadList={false}
              beforeUpload={picked => {
                void attempt(() => read(picked))
                return false
              }}
            >
              <p>{file ? file.name : t('chooseFile')}</p>
              {brought > 0 && <p>{t('picturesInFile', { count: brought })}</p>}
            </Upload.Dragger>
            {file?.problem && (
              <Alert
                className={css.bindings ?? ''}
                type="error"
                showIcon
                title={t('fileNoPage')}
                description={
                  file.problem.code === 'later_version'
                    ? t('fileLater', file.problem.params)
                    : file.problem.code === 'too_large'
                      ? t('fileTooLarge', { limit: MOST / 1_000_000 })
                      : t('filePlace', { place: file.problem.path || '/' })
                }
              />
            )}
            {file?.here && <ImportBindings here={file.here} chosen={chosen} onChange={setChosen} />}
            {absent.length > 0 && (
              <Alert
                className={css.bindings ?? ''}
                type="warning"
                showIcon
                title={t('picturesNotInFile', { names: listed(absent) })}
              />
            )}
          </>
        ) : undefined
      }
      onSubmit={async ({ template, ...values }) => {
        if (from === 'import' && !file) {
          notify.error(t('chooseFile'))
          throw new Error('no file')
        }
        const send = (scene: unknown) =>
          create.send({
            body: { ...values, ...(scene === undefined ? {} : { scene }) } as Body<'cloudPages.create'>,
          })
        const made = page
          ? await bringPage(page, pictureStore, {
              create: send,
              save: ({ id, version }, scene) =>
                call('cloudPages.saveDraft', {
                  params: { id },
                  body: { scene, version } as Body<'cloudPages.saveDraft'>,
                }),
            })
          : {
              page: await send(
                from === 'import'
                  ? file!.content
                  : copyOf
                    ? (await call('cloudPages.get', { params: { id: copyOf.id } })).scene
                    : template && template !== 'none'
                      ? fromTemplate(
                          template as TemplateName,
                          i18n.language === 'en' ? 'en' : 'zh',
                          String(values.name),
                        )
                      : undefined,
              ),
              missing: [],
            }
        notify.success(t('created', { name: made.page.name }))
        sayMissing(made.missing)
        onClose()
        await navigate(editorAt(made.page.id))
      }}
      onClose={onClose}
    />
  )
}
