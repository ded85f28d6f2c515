// Opens the page in Chromium, uses it, and checks what it shows. For examples/run.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from 'playwright-core';

const { SONDE_URL, SONDE_KEY, CHROMIUM, SCREENSHOT } = process.env;

/** The key that every new instance has for pages. */
async function searchKey() {
  const answer = await fetch(`${SONDE_URL}/keys`, { headers: { Authorization: `Bearer ${SONDE_KEY}` } });
  const { results } = await answer.json();
  return results.find(({ actions }) => actions.length === 1 && actions[0] === 'search').key;
}

async function use(page) {
  const titles = () => page.locator('#hits h3').allTextContents();
  const shows = (expected) =>
    page.waitForFunction(
      (wanted) => {
        const shown = [...document.querySelectorAll('#hits h3')].map((title) => title.textContent);
        return JSON.stringify(shown) === JSON.stringify(wanted);
      },
      expected,
      { timeout: 60_000 },
    );
  await page.waitForSelector('#hits h3');
  assert.equal((await titles()).length, 6);
  await page.getByRole('link', { name: 'Page 2', exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll('#hits h3').length === 4);

  await page.getByRole('searchbox').fill('harbuor');
  await shows(['The Harbour at Night', 'The Salt Road']);
  assert.deepEqual(await page.locator('#hits h3 mark').allTextContents(), ['Harbour']);
  if (SCREENSHOT) await page.screenshot({ path: SCREENSHOT });

  await page.getByRole('searchbox').fill('');
  await page.locator('#genres').getByLabel('cooking').check();
  await page.locator('#order select').selectOption('books:year:desc');
  await shows(['Bread for a Small Town', "The Lighthouse Keeper's Cookbook"]);
  await page.locator('#genres').getByLabel('mystery').check();
  await shows([
    'Bread for a Small Town',
    'Murder on the Mail Boat',
    "The Lighthouse Keeper's Cookbook",
    'The Harbour at Night',
  ]);
  await page.getByRole('searchbox').fill('zzzzzz');
  await page.getByText('Nothing about “zzzzzz”.').waitFor();
}

const files = spawn(process.execPath, ['serve.js'], {
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [address] = await once(files.stdout, 'data');
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${String(address).trim()}?url=${encodeURIComponent(SONDE_URL)}&key=${await searchKey()}`);
  await use(page);
  assert.deepEqual(complaints, []);
  console.log('The page finds, counts, filters, sorts and turns pages.');
} finally {
  await browser.close();
  files.kill();
}
