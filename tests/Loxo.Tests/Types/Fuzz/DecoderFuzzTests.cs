using System.Text;
using Loxo.Protocol;
using Loxo.Types;

namespace Loxo.Tests.Types;

/// <summary>
/// Whatever bytes arrive: every codec of every built-in type reads a value or throws one of the three errors it may throw, and takes no more memory
/// than goes with the size of what arrived. The same seed makes the same inputs.
/// </summary>
[Category("Slow")]
public class DecoderFuzzTests
{
    private const int Seed = 20260101;
    private const int Quick = 200_000;
    private const int Long = 10_000_000;

    // An exception costs some hundred bytes a frame, text format a scratch buffer or two; a text of an element, several copies of it.
    private const int BytesForAnyInput = 32 * 1024;
    private const int BytesForByteOfValue = 64;
    private const int BytesForByteOfText = 512;

    // 10^131071 are ten bytes.
    private static readonly string[] OutOfProportion = ["numeric", "numrange", "nummultirange"];

    [TestCase(Seed, Quick)]
    [TestCase(Seed + 1, Long, Category = "Long")]
    public void Whatever_arrives_in_binary_is_a_value_or_a_precise_error_and_takes_memory_in_proportion(int seed, int inputs) =>
        Run(seed, inputs, FormatCode.Binary);

    [TestCase(Seed + 2, Quick / 4)]
    [TestCase(Seed + 3, Long / 4, Category = "Long")]
    public void Whatever_arrives_as_text_is_a_value_or_a_precise_error(int seed, int inputs) => Run(seed, inputs, FormatCode.Text);

    [Test]
    public void Nearly_every_type_has_values_to_start_from()
    {
        var golden = new GoldenBytes(Seed);
        string[] without = ["anyarray", "aclitem", "gtsvector", "pg_ndistinct", "pg_dependencies", "pg_mcv_list"];
        Assert.That(GoldenBytes.Types.Where(type => type.Element is null && golden.Of(type).Length == 0).Select(type => type.Name), Is.SubsetOf(without));
    }

    private static void Run(int seed, int inputs, FormatCode format)
    {
        TestContext.Out.WriteLine($"Seed {seed}, {inputs} inputs.");
        var random = new Random(seed);
        var mutator = new Mutator(random);
        var targets = Targets(new GoldenBytes(seed), format);
        for (var i = 0; i < inputs; i++)
        {
            var (type, codecs, values) = targets[random.Next(targets.Count)];
            var (_, _, others) = targets[random.Next(targets.Count)];
            var input = mutator.Mutate(values[random.Next(values.Length)], others[random.Next(others.Length)]);
            var codec = codecs[random.Next(codecs.Length)];
            // Now and then the runtime takes memory of its own, for the first error of a kind; what an input costs, it costs every time.
            if (Complaint(type, codec, input) is not null && Complaint(type, codec, input) is { } complaint)
                Assert.Fail($"Seed {seed}, input {i}: {type.DisplayName} as {ClrNames.Of(codec.ValueType)}: {complaint}\n{Convert.ToHexStringLower(input)}");
        }
    }

    private static List<(TypeEntry Type, Codec[] Codecs, byte[][] Values)> Targets(GoldenBytes golden, FormatCode format)
    {
        var targets = new List<(TypeEntry Type, Codec[] Codecs, byte[][] Values)>();
        foreach (var type in GoldenBytes.Types)
        {
            var values = golden.Of(type);
            if (format == FormatCode.Text)
                values = [.. values.Where(value => IsShown(type, value)).Select(value => Encoding.UTF8.GetBytes(type.ToText(value)))];
            var codecs = CodecsOf(type, format).Distinct().ToArray();
            if (values.Length == 0 || codecs.Length == 0)
                continue;
            targets.Add((type, codecs, values));
            // What is made once, for the first value, is not what a value costs.
            foreach (var codec in codecs)
            {
                foreach (var value in values)
                    Complaint(type, codec, value);
            }
        }
        return targets;
    }

    private static IEnumerable<Codec> CodecsOf(TypeEntry type, FormatCode format)
    {
        foreach (var clrType in type.ClrTypes)
        {
            if (type.CodecFor(clrType, format) is not { } codec)
                continue;
            yield return codec;
            foreach (var other in ShapesOf(clrType).Select(shape => type.CodecFor(shape, format)).OfType<Codec>())
                yield return other;
        }
        if (type.Name == "record" && format == FormatCode.Binary)
        {
            yield return type.CodecFor<(int, string)>()!;
            yield return type.CodecFor<(object, (object, object?), object)>()!;
            yield return type.CodecFor<Tuple<object?, object?, object?, object?>>()!;
        }
    }

    // What an array is read as only when it is asked for.
    private static IEnumerable<Type> ShapesOf(Type clrType) => !clrType.IsSZArray || clrType.GetElementType() is not { } element ? [] :
    [
        typeof(Array), element.MakeArrayType(2), element.MakeArrayType(3), typeof(List<>).MakeGenericType(element),
        typeof(IEnumerable<>).MakeGenericType(element), typeof(ReadOnlyMemory<>).MakeGenericType(element),
    ];

    private static bool IsShown(TypeEntry type, byte[] value)
    {
        try
        {
            return type.ToText(value).Length >= 0;
        }
        catch (Exception error) when (error is PgException or OverflowException or InvalidCastException)
        {
            return false;
        }
    }

    private static string? Complaint(TypeEntry type, Codec codec, byte[] input)
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        try
        {
            codec.ReadObject(input);
        }
        catch (Exception error) when (error is PgException or InvalidCastException or OverflowException)
        {
            // These it may throw.
        }
        catch (Exception error)
        {
            return error.ToString();
        }
        var taken = GC.GetAllocatedBytesForCurrentThread() - before;
        var isText = codec.ValueType == typeof(string) || typeof(IEnumerable<string>).IsAssignableFrom(codec.ValueType);
        var rate = isText ? BytesForByteOfText : BytesForByteOfValue;
        var isInProportion = taken <= (long)rate * input.Length + BytesForAnyInput || OutOfProportion.Contains((type.Element ?? type).Name);
        return isInProportion ? null : $"{taken} bytes of memory for {input.Length} bytes";
    }
}
