// Builds dist/ when a source file has changed: the server's processes with esbuild, the console with Vite.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { checkPlatform, fail, hashOf, installIfStale, isFresh, root, run } from './lib.mjs'

const SERVER_ENTRIES = {
  main: 'apps/server/src/main.ts',
  gateway: 'apps/server/src/ingest/gateway.main.ts',
  fleet: 'tools/simulators/device-fleet/main.ts',
  simulators: 'tools/simulators/all/main.ts',
  'reset-password': 'apps/server/src/app/reset-password.ts',
  'audit-verify': 'apps/server/src/app/audit-verify.ts',
  backup: 'apps/server/src/app/backup/backup.main.ts',
  restore: 'apps/server/src/app/backup/restore.main.ts',
  'script-worker': 'apps/server/src/ingest/codecs/script/script.worker.ts',
  'dry-run-worker': 'apps/server/src/modules/triggers/dry-run.worker.ts',
}

async function buildServer(out) {
  const esbuild = await import('esbuild')
  // Two libraries of hundreds of small modules each: read one by one they are half of the time of a start.
  const bundled = /^(@thingwright|typebox)(\/|$)/
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(Object.entries(SERVER_ENTRIES).filter(([, file]) => existsSync(join(root, file)))),
    outdir: out,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    legalComments: 'none',
    logLevel: 'error',
    chunkNames: 'chunk-[hash]',
    // npm packages stay where they are; workspace packages are TypeScript sources and must be bundled.
    plugins: [
      {
        name: 'npm-external',
        setup: build =>
          void build.onResolve({ filter: /^[^./]/ }, args =>
            args.kind === 'entry-point' || bundled.test(args.path) ? null : { path: args.path, external: true },
          ),
      },
    ],
  })
  cpSync(join(root, 'apps/server/src/db/migrations'), join(out, 'migrations'), { recursive: true })
  // Pictures of the simulated cameras.
  cpSync(join(root, 'tools/simulators/ezviz/media'), join(out, 'media'), { recursive: true })
  // The mini-program that companies get as a package (modules/apps/applet-package.ts).
  cpSync(join(root, 'apps/applet/source'), join(out, 'applet'), { recursive: true })
  // What the assistant knows about the product (knowledge/articles.ts reads it at the first question).
  cpSync(join(root, 'apps/server/src/modules/assistant/knowledge'), join(out, 'knowledge'), {
    recursive: true,
    filter: file => !file.endsWith('.ts'),
  })
}

/** Text files are compressed once here, so that the server only hands them out. */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (statSync(file).isDirectory()) compress(file)
    else if (/\.(js|css|svg|json|html|webmanifest)$/.test(name) && name !== 'index.html') {
      const bytes = readFileSync(file)
      if (bytes.length < 1024) continue
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
      writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
    }
  }
}

/** @returns whether anything had to be built */
export async function buildIfStale({ quiet = false } = {}) {
  const parts = [
    {
      name: 'server',
      sources: ['apps/server', 'apps/applet', 'packages', 'tools/simulators', 'package-lock.json', 'scripts/build.mjs'],
      build: buildServer,
    },
    {
      name: 'web',
      sources: [
        'apps/web',
        'packages',
        'docs/device-protocol.md',
        'docs/device-protocol',
        'package-lock.json',
        'scripts/build.mjs',
      ],
      build: async out => {
        const code = await run(
          process.execPath,
          [
            join(root, 'node_modules/vite/bin/vite.js'),
            'build',
            '--outDir',
            out,
            '--emptyOutDir',
            '--logLevel',
            'warn',
          ],
          { cwd: join(root, 'apps/web') },
        )
        if (code !== 0) fail('The console could not be built (see above)')
        // What visitors of cloud pages get is a program of its own.
        const pages = await run(
          process.execPath,
          [
            join(root, 'node_modules/vite/bin/vite.js'),
            'build',
            ...['--config', 'vite.page.config.ts', '--outDir', join(out, 'cloud-page'), '--emptyOutDir'],
            ...['--logLevel', 'warn'],
          ],
          { cwd: join(root, 'apps/web') },
        )
        if (pages !== 0) fail('The program of cloud pages could not be built (see above)')
        compress(out)
      },
    },
  ]
  let built = false
  for (const part of parts) {
    const out = join(root, 'dist', part.name)
    const stamp = join(root, 'dist', `.${part.name}.hash`)
    const hash = hashOf(part.sources)
    if (isFresh(stamp, hash) && existsSync(out)) continue
    if (!quiet) process.stdout.write(`Building the ${part.name} ...\n`)
    rmSync(stamp, { force: true })
    rmSync(out, { recursive: true, force: true })
    mkdirSync(out, { recursive: true })
    await part.build(out)
    writeFileSync(stamp, hash)
    built = true
  }
  return built
}

if (process.argv[1] === import.meta.filename) {
  checkPlatform()
  await installIfStale()
  await buildIfStale()
}
