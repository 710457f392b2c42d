using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class ParameterRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private DbParameter _parameter = null!;

    [SetUp]
    public void Create() => _parameter = Factory.CreateParameter()!;

    [Rule(typeof(DbParameter))]
    public void A_new_parameter_has_the_documented_defaults()
    {
        Assert.That((_parameter.ParameterName, _parameter.SourceColumn, _parameter.Value), Is.EqualTo(("", "", default(object))));
        Assert.That((_parameter.Direction, _parameter.SourceVersion), Is.EqualTo((ParameterDirection.Input, DataRowVersion.Current)));
        Assert.That((_parameter.Size, _parameter.Precision, _parameter.Scale), Is.EqualTo((0, (byte)0, (byte)0)));
        Assert.That((_parameter.IsNullable, _parameter.SourceColumnNullMapping), Is.EqualTo((false, false)));
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.ParameterName))]
    public void No_name_is_an_empty_name()
    {
        (_parameter.ParameterName, _parameter.SourceColumn) = (null, null);

        Assert.That((_parameter.ParameterName, _parameter.SourceColumn), Is.EqualTo(("", "")));
    }

    [TestCase("p")]
    [TestCase("@p")]
    [TestCase("Mixed Case")]
    [Rule(typeof(DbParameter), nameof(DbParameter.ParameterName))]
    public void A_name_is_kept_as_it_was_set(string name)
    {
        _parameter.ParameterName = name;

        Assert.That(_parameter.ParameterName, Is.EqualTo(name));
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.Direction))]
    public void An_undefined_direction_is_a_wrong_argument()
    {
        Refused<ArgumentException>(() => _parameter.Direction = (ParameterDirection)99);
        Assert.That(_parameter.Direction, Is.EqualTo(ParameterDirection.Input));
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.DbType))]
    public void An_undefined_type_is_a_wrong_argument()
    {
        _parameter.DbType = DbType.Int32;
        Refused<ArgumentException>(() => _parameter.DbType = (DbType)99);
        Assert.That(_parameter.DbType, Is.EqualTo(DbType.Int32));
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.SourceVersion))]
    public void An_undefined_version_of_a_row_is_a_wrong_argument()
    {
        Refused<ArgumentException>(() => _parameter.SourceVersion = (DataRowVersion)99);
        Assert.That(_parameter.SourceVersion, Is.EqualTo(DataRowVersion.Current));
        foreach (var version in Enum.GetValues<DataRowVersion>())
            Assert.That(() => _parameter.SourceVersion = version, Throws.Nothing);
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.Size))]
    public void A_size_below_minus_one_is_a_wrong_argument()
    {
        Refused<ArgumentException>(() => _parameter.Size = -2);
        Assert.That(() => _parameter.Size = -1, Throws.Nothing);
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.Size))]
    public async Task Size_cuts_text_and_bytes()
    {
        var (text, bytes) = (Parameter("text", "abcdef"), Parameter("bytes", new byte[5]));
        (text.Size, bytes.Size) = (2, 3);
        await using var command = Command("SELECT @text, length(@bytes)");
        command.Parameters.AddRange(new[] { text, bytes });
        await using var reader = await Read(command);
        await Mode.Read(reader);

        Assert.That((reader.GetString(0), reader.GetInt32(1)), Is.EqualTo(("ab", 3)));
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.ResetDbType))]
    public void ResetDbType_takes_a_type_back()
    {
        var original = _parameter.DbType;
        _parameter.DbType = DbType.Guid;
        _parameter.ResetDbType();

        Assert.That(_parameter.DbType, Is.EqualTo(original));
    }

    [TestCase(DbType.Boolean)]
    [TestCase(DbType.Int16)]
    [TestCase(DbType.Int32)]
    [TestCase(DbType.Int64)]
    [TestCase(DbType.Single)]
    [TestCase(DbType.Double)]
    [TestCase(DbType.Decimal)]
    [TestCase(DbType.String)]
    [TestCase(DbType.Binary)]
    [TestCase(DbType.Guid)]
    [TestCase(DbType.Date)]
    [TestCase(DbType.Time)]
    [TestCase(DbType.DateTime)]
    [TestCase(DbType.DateTime2)]
    [TestCase(DbType.DateTimeOffset)]
    [TestCase(DbType.AnsiString)]
    [TestCase(DbType.AnsiStringFixedLength)]
    [TestCase(DbType.StringFixedLength)]
    [TestCase(DbType.Xml)]
    [TestCase(DbType.Currency)]
    [TestCase(DbType.VarNumeric)]
    [TestCase(DbType.Object)]
    [Rule(typeof(DbParameter), nameof(DbParameter.DbType))]
    public void A_type_is_kept_as_it_was_set(DbType type)
    {
        _parameter.DbType = type;

        Assert.That(_parameter.DbType, Is.EqualTo(type));
    }

    [Rule(typeof(IDataParameter), nameof(IDataParameter.Value))]
    public async Task DBNull_is_NULL_and_null_is_no_value()
    {
        Assert.That(await Number("SELECT COALESCE(@p, 1)", ("p", DBNull.Value)), Is.EqualTo(1));
        Refused<InvalidOperationException>(() => Scalar("SELECT @p", ("p", null)));
        await AssertUsable();
    }

    [Rule(typeof(IDataParameter), nameof(IDataParameter.Value))]
    public async Task A_value_comes_back_as_it_was_sent()
    {
        object[] values = [5L, "text", "", "ä€😀\n'\"", 2.5, new byte[] { 0, 1, 255 }, Array.Empty<byte>()];
        foreach (var value in values)
            Assert.That(await Scalar("SELECT @p", ("p", value)), Is.EqualTo(value));
    }

    [Rule(typeof(IDbDataParameter))]
    public void What_is_set_through_the_interface_is_kept()
    {
        var parameter = (IDbDataParameter)_parameter;
        (parameter.Precision, parameter.Scale, parameter.Size) = (5, 3, 7);

        Assert.That((parameter.Precision, parameter.Scale, parameter.Size), Is.EqualTo(((byte)5, (byte)3, 7)));
        Assert.That((_parameter.Precision, _parameter.Scale, _parameter.Size), Is.EqualTo(((byte)5, (byte)3, 7)));
    }

    [Rule(typeof(DbParameter), nameof(DbParameter.IsNullable))]
    public void Facts_for_an_adapter_are_kept()
    {
        (_parameter.IsNullable, _parameter.SourceColumnNullMapping, _parameter.SourceColumn) = (true, true, "column");

        Assert.That((_parameter.IsNullable, _parameter.SourceColumnNullMapping, _parameter.SourceColumn), Is.EqualTo((true, true, "column")));
    }

    [Rule(typeof(ICloneable), nameof(ICloneable.Clone))]
    public void A_clone_is_equal_and_free()
    {
        using var command = Command("SELECT @p", ("p", 5));
        command.Parameters[0].Direction = ParameterDirection.InputOutput;
        var clone = (DbParameter)((ICloneable)command.Parameters[0]).Clone();

        Assert.That((clone.ParameterName, clone.Value, clone.Direction), Is.EqualTo(("p", (object)5, ParameterDirection.InputOutput)));
        using var another = Command("SELECT 1");
        Assert.That(() => another.Parameters.Add(clone), Throws.Nothing);
    }
}
