// node scripts/pack-device-sdk.mjs [FOLDER]: the device library as it is published: one JavaScript file, its types,
// licence and README, packed as .tgz. Without a folder into dist/device-sdk.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkPlatform, fail, installIfStale, root } from './lib.mjs'

const SOURCE = join(root, 'packages/device-sdk')

/** Declarations name the files of the sources; published are their compiled forms. */
function declareCompiled(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (statSync(file).isDirectory()) declareCompiled(file)
    else if (name.endsWith('.d.ts'))
      writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

/** @returns the packed file */
export async function packDeviceSdk(out) {
  const source = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8'))
  const stage = mkdtempSync(join(tmpdir(), 'tw-sdk-'))
  try {
    const esbuild = await import('esbuild')
    await esbuild.build({
      absWorkingDir: SOURCE,
      entryPoints: ['src/index.ts'],
      outfile: join(stage, 'index.js'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: Object.keys(source.dependencies),
      logLevel: 'error',
    })
    const config = join(stage, 'tsconfig.json')
    const compilerOptions = {
      noEmit: false,
      emitDeclarationOnly: true,
      declaration: true,
      incremental: false,
      tsBuildInfoFile: null,
      rootDir: join(SOURCE, 'src'),
      outDir: join(stage, 'types'),
      typeRoots: [join(root, 'node_modules/@types')],
    }
    const files = [join(SOURCE, 'src/index.ts')]
    writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }))
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc')
    const types = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8' })
    if (types.status !== 0) fail(`The declarations could not be made:\n${types.stdout}${types.stderr}`)
    rmSync(config)
    declareCompiled(join(stage, 'types'))
    for (const [from, to] of [
      [join(SOURCE, 'README.md'), 'README.md'],
      [join(root, 'LICENSE'), 'LICENSE'],
    ])
      cpSync(from, join(stage, to))
    writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published(source), null, 2)}\n`)
    mkdirSync(out, { recursive: true })
    // npm's own cache and checks are not needed for packing a folder.
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const packed = spawnSync(
      npm,
      ['pack', '--silent', '--ignore-scripts', '--no-update-notifier', '--pack-destination', out],
      {
        cwd: stage,
        encoding: 'utf8',
        shell: process.platform === 'win32',
      },
    )
    if (packed.status !== 0) fail(`npm pack: ${packed.stderr}`)
    return join(out, packed.stdout.trim().split('\n').at(-1))
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** What stands in the registry: the sources' own facts, with compiled entry points and nothing of the workspace. */
function published({ name, version, license, dependencies }) {
  return {
    name,
    version,
    license,
    description:
      'Device library of Thingwright: MQTT and HTTP, offline buffer, commands carried out once, firmware updates',
    keywords: ['iot', 'mqtt', 'device', 'thingwright', 'ota'],
    type: 'module',
    engines: { node: '>=20.19' },
    exports: { '.': { types: './types/index.d.ts', default: './index.js' } },
    types: './types/index.d.ts',
    files: ['index.js', 'types', 'README.md', 'LICENSE'],
    sideEffects: false,
    dependencies,
  }
}

if (process.argv[1] === import.meta.filename) {
  checkPlatform()
  await installIfStale()
  const file = await packDeviceSdk(resolve(process.argv[2] ?? join(root, 'dist/device-sdk')))
  process.stdout.write(`${file}\n`)
}
