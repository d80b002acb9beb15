import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { VersionText } from '../components/version-text.tsx'
import css from '../ota.module.css'

/** What arrived at the server, and what to do next. */
export function UploadedPackage({ made, sha256 }: { made: FirmwarePackageView; sha256: string }) {
  const { t } = useTranslation('ota')
  return (
    <div className={css.stack} data-testid="uploaded">
      <Alert
        type={made.sha256 === sha256 ? 'success' : 'error'}
        showIcon
        title={made.sha256 === sha256 ? t('upload.same') : t('upload.differs')}
        description={t('upload.next')}
      />
      <Facts
        items={[
          { label: t('product'), value: made.productName },
          {
            label: t('version'),
            value: <VersionText from={made.kind === 'delta' ? made.fromVersion : undefined} version={made.version} />,
          },
          { label: t('size'), value: formatBytes(made.size) },
          { label: 'SHA-256', value: <CopyId value={made.sha256} />, wide: true },
          { label: t('signature'), value: made.keyName ?? t('unsigned') },
        ]}
      />
    </div>
  )
}
