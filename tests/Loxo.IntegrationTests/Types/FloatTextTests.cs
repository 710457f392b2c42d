using Loxo.Types;

namespace Loxo.IntegrationTests.Types;

/// <summary>Floating-point numbers within arrays, records, geometry and ranges are shown as the server shows them, digit for digit.</summary>
public class FloatTextTests() : DatabaseTest(WaitMode.Blocking)
{
    private const int BatchSize = 5000;

    [Test]
    public async Task Numbers_are_shown_as_the_server_shows_them() => await Check(10_000, seed: 1);

    [Test, Category("Long"), Category("OneServer")]
    public async Task Numbers_are_shown_as_the_server_shows_them_in_a_long_run() => await Check(500_000, seed: 2);

    [Test]
    public async Task Composed_values_that_are_read_as_text_are_those_of_the_server()
    {
        await using var command = Command("""
            SELECT ARRAY[v], ROW(v, v::real), point(v, -v), box(point(v, 0), point(0, v)), ARRAY[point(v, v)], ARRAY[v]::text, ROW(v, v::real)::text, point(v, -v)::text,
                box(point(v, 0), point(0, v))::text, ARRAY[point(v, v)]::text
            FROM unnest($1) v
            """, new PgParameter<double[]>([1e15, 5e22, 9.5367431640625e-7, 1e14, 1e-5, 1e-4, 1e6, 123456789012345680, 9007199254740993, 5e-7, -0.0, double.NaN, double.PositiveInfinity, 16777216, 0.1, 1.5e30]));
        await using var reader = await Mode.ExecuteReader(command);
        while (await Mode.Read(reader))
        {
            for (var i = 1; i < 5; i++)
                Assert.That(reader.GetString(i), Is.EqualTo(reader.GetString(i + 5)));
        }
    }

    private async Task Check(int count, int seed)
    {
        var random = new Random(seed);
        for (var done = 0; done < count; done += BatchSize)
        {
            var doubles = Enumerable.Range(0, BatchSize).Select(_ => Double(random)).ToArray();
            var singles = doubles.Select((number, i) => i % 2 == 0 ? (float)number : BitConverter.Int32BitsToSingle(random.Next(int.MinValue, int.MaxValue))).ToArray();
            Assert.That(await Texts(doubles, "float8"), Is.EqualTo(doubles.Select(FloatText.Show)).AsCollection);
            Assert.That(await Texts(singles, "float4"), Is.EqualTo(singles.Select(FloatText.Show)).AsCollection);
        }
    }

    private async Task<string[]> Texts<T>(T[] numbers, string type)
    {
        await using var command = Command($"SELECT array_agg(v::text ORDER BY n) FROM unnest($1::{type}[]) WITH ORDINALITY t(v, n)", new PgParameter<T[]>(numbers));
        return (string[])(await Mode.ExecuteScalar(command))!;
    }

    // Any bits; powers of two and of ten and their neighbours; whole numbers of 16 and 17 digits, where ties are; the smallest numbers.
    private static double Double(Random random) => random.Next(7) switch
    {
        0 => Math.ScaleB(1, random.Next(-1074, 1024)),
        1 => Math.BitIncrement(Math.Pow(10, random.Next(-323, 309))),
        2 => Math.BitDecrement(Math.Pow(10, random.Next(-323, 309))),
        3 => random.NextInt64(1L << 50, 1L << 62) * (random.Next(2) == 0 ? 1.0 : Math.ScaleB(1, random.Next(-70, 70))),
        4 => BitConverter.Int64BitsToDouble(random.NextInt64(1L << 20)),
        5 => random.Next(1, 100_000) * Math.Pow(10, random.Next(-20, 20)),
        _ => BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue)),
    };
}
