using Loxo.Types;

namespace Loxo.IntegrationTests.Types;

/// <summary>The corpus in every way in which a value is exchanged.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RoundTripTests(WaitMode mode) : DatabaseTest(mode)
{
    private static IEnumerable<string> Types => TypeCorpus.Types;

    // In text format these are names or depend on a setting, so they are read as strings only.
    private static readonly string[] WithoutTextForm = ["money", "regclass", "regtype", "regproc", "regnamespace", "regconfig", "oidvector", "int2vector"];

    private static IEnumerable<string> TypesWithTextForm => TypeCorpus.Types.Except(WithoutTextForm);

    [TestCaseSource(nameof(Types))]
    public async Task A_value_is_read(string type)
    {
        foreach (var sample in TypeCorpus.Of(type))
        {
            await using var reader = await Row($"SELECT {sample.Sql}");
            Assert.That(sample.Read(reader, 0), Is.EqualTo(sample.Value), sample.ToString());
            Assert.That(sample.ReadNullable(reader, 0), Is.EqualTo(sample.Value), sample + ", nullable");
            if (reader.GetFieldType(0) == sample.ClrType)
                Assert.That(reader.GetValue(0), Is.EqualTo(sample.Value).And.InstanceOf(sample.ClrType), sample + ", untyped");
        }
    }

    [TestCaseSource(nameof(Types))]
    public async Task NULL_is_read(string type)
    {
        foreach (var sample in TypeCorpus.Of(type).DistinctBy(sample => sample.ClrType))
        {
            await using var reader = await Row($"SELECT NULL::{sample.Type}");
            Assert.That(reader.IsDBNull(0), Is.True);
            Assert.That(sample.ReadNullable(reader, 0), Is.Null);
            Assert.That(reader.GetValue(0), Is.EqualTo(DBNull.Value));
            Assert.That(() => sample.Read(reader, 0), Throws.TypeOf<InvalidCastException>());
        }
    }

    [TestCaseSource(nameof(Types))]
    public async Task A_parameter_is_the_value_that_SQL_writes(string type)
    {
        foreach (var sample in TypeCorpus.Of(type))
        {
            await using var reader = await Row($"SELECT $1, $1::text, ({sample.Sql})::text, pg_typeof($1)::text", sample.Parameter());
            Assert.That(reader.GetString(1), Is.EqualTo(reader.GetString(2)), sample.ToString());
            Assert.That(sample.Read(reader, 0), Is.EqualTo(sample.Value), sample.ToString());
            Assert.That(reader.GetString(3), Is.EqualTo(WithoutModifier(type)));
        }
    }

    [TestCaseSource(nameof(Types))]
    public async Task A_parameter_can_be_NULL(string type)
    {
        foreach (var sample in TypeCorpus.Of(type).DistinctBy(sample => sample.ClrType))
        {
            await using var reader = await Row("SELECT $1 IS NULL, pg_typeof($1)::text", sample.NullParameter());
            Assert.That((reader.GetBoolean(0), reader.GetString(1)), Is.EqualTo((true, WithoutModifier(type))));
        }
    }

    [TestCaseSource(nameof(Types))]
    public async Task An_array_is_read_and_written(string type)
    {
        foreach (var sample in TypeCorpus.Of(type))
        {
            var sql = $"ARRAY[{sample.Sql}, NULL, {sample.Sql}]";
            await using var reader = await Row($"SELECT {sql}, $1, $1::text, ({sql})::text", sample.ArrayParameter());
            Assert.That(sample.ReadArrayWithNull(reader, 0), Is.EqualTo(sample.ArrayWithNull), sample.ToString());
            Assert.That(sample.ReadArrayWithNull(reader, 1), Is.EqualTo(sample.ArrayWithNull), sample.ToString());
            Assert.That(sample.ReadListWithNull(reader, 0), Is.EqualTo(sample.ArrayWithNull), sample.ToString());
            Assert.That(reader.GetString(2), Is.EqualTo(reader.GetString(3)), sample.ToString());
        }
    }

    [TestCaseSource(nameof(TypesWithTextForm))]
    public async Task Text_format_is_read_as_the_same_values(string type)
    {
        foreach (var sample in TypeCorpus.Of(type))
        {
            await using var reader = await Row($"SELECT {sample.Sql}, ARRAY[{sample.Sql}, NULL, {sample.Sql}], format('%s', {sample.Sql})", asText: true);
            // Not a cast to text, which makes other text than the server sends of some types: boolean, character(n), inet.
            if (sample.ClrType != typeof(string))
                Assert.That(reader.GetString(0), Is.EqualTo(reader.GetString(2)), sample.ToString());
            Assert.That(sample.Read(reader, 0), Is.EqualTo(sample.Value), sample.ToString());
            Assert.That(sample.ReadArrayWithNull(reader, 1), Is.EqualTo(sample.ArrayWithNull), sample.ToString());
        }
    }

    [TestCaseSource(nameof(Types))]
    public async Task A_type_that_is_inferred_is_the_type_of_the_value(string type)
    {
        // The type of a range of DateTime without a bound is left to the server, which cannot tell it here.
        var samples = TypeCorpus.Of(type).Where(sample => !TypeInference.IsUndecidedRange(sample.Value));
        foreach (var sample in samples.Where(sample => TypeCatalog.BuiltIn.Infer(sample.Value) == TypeCatalog.BuiltIn.Find(type)))
        {
            await using var reader = await Row("SELECT $1, pg_typeof($1)::text", new PgParameter { Value = sample.Value });
            Assert.That(reader.GetString(1), Is.EqualTo(WithoutModifier(type)), sample.ToString());
            Assert.That(sample.Read(reader, 0), Is.EqualTo(sample.Value), sample.ToString());
        }
    }

    private static string WithoutModifier(string type) => type.Contains('(') ? type[..type.IndexOf('(')] : type;

    private async Task<PgDataReader> Row(string sql, PgParameter? parameter = null, bool asText = false)
    {
        var command = parameter is null ? Command(sql) : Command(sql, parameter);
        command.AllResultTypesAreUnknown = asText;
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        return reader;
    }
}
