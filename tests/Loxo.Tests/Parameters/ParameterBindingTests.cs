using System.Data;
using Loxo.Parameters;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Tests.Session;

namespace Loxo.Tests.Parameters;

/// <summary>How the value of a parameter gets type, format and bytes. No server is asked.</summary>
public sealed class ParameterBindingTests
{
    private ServerSession _session = null!;

    [SetUp]
    public void OpenSession()
    {
        _session = NoChannel.Session();
        _session.Opened();
    }

    [TearDown]
    public void Dispose()
    {
        _session.Failed(SessionErrors.Closed());
        _session.Dispose();
    }

    [Test]
    public void A_value_tells_its_type()
    {
        var binding = Bind(new PgParameter { Value = 42 });
        Assert.That((binding.TypeOid, binding.Format), Is.EqualTo((23u, FormatCode.Binary)));
        Assert.That(Write(binding, new PgParameter(), 42), Is.EqualTo("000000040000002a"));
    }

    [Test]
    public void A_type_that_was_set_counts_more_than_the_value()
    {
        var parameter = new PgParameter { PgDbType = PgDbType.Bigint, Value = 42 };
        var binding = Bind(parameter);
        Assert.That(binding.TypeOid, Is.EqualTo(20));
        Assert.That(Write(binding, parameter, 42), Is.EqualTo("00000008000000000000002a"));
    }

    [Test]
    public void A_string_is_sent_as_text_to_a_type_whose_spellings_only_the_server_knows()
    {
        var parameter = new PgParameter { PgDbType = PgDbType.TsQuery, Value = "a&b" };
        var binding = Bind(parameter);
        Assert.That((binding.TypeOid, binding.Format), Is.EqualTo((3615u, FormatCode.Text)));
        Assert.That(Write<object>(binding, parameter, "a&b"), Is.EqualTo("00000003" + "612662"));
    }

    [Test]
    public void NULL_has_the_type_that_was_set_or_none()
    {
        Assert.That(Bind(new PgParameter { Value = DBNull.Value }).TypeOid, Is.Zero);
        var binding = Bind(new PgParameter { PgDbType = PgDbType.Uuid, Value = DBNull.Value });
        Assert.That(binding.TypeOid, Is.EqualTo(2950));
        Assert.That(Write<object>(binding, new PgParameter(), null), Is.EqualTo("ffffffff"));
    }

    [Test]
    public void A_later_value_fits_if_it_is_of_the_same_type_and_the_types_are_the_same()
    {
        var binding = Bind(new PgParameter { Value = 42 });
        Assert.That(binding.Fits<object>(43, _session.Types), Is.True);
        Assert.That(binding.Fits<object>(43L, _session.Types), Is.False);
        Assert.That(binding.Fits<object>(null, _session.Types), Is.False);
        _session.Context.Database.ForgetTypes();
        Assert.That(binding.Fits<object>(43, _session.Types), Is.False);
    }

    [Test]
    public void No_value_fits_a_binding_that_depends_on_the_kind_of_a_DateTime() =>
        Assert.That(Bind(new PgParameter { Value = DateTime.UtcNow }).Fits<object>(DateTime.Now, _session.Types), Is.False);

    [Test]
    public void A_value_is_cut_to_the_size_that_was_set()
    {
        var parameter = new PgParameter { Value = "abcdef", Size = 3 };
        Assert.That(Write<object>(Bind(parameter), parameter, "abcdef"), Is.EqualTo("00000003" + "616263"));
    }

    [Test]
    public void A_value_that_stands_for_no_type_is_refused_with_the_name_of_the_parameter()
    {
        var error = Assert.Throws<InvalidCastException>(() => Bind(new PgParameter("price", new StringWriter())))!;
        Assert.That(error.Message, Does.Contain("'price' (number 1)").And.Contain("StringWriter"));
    }

    [Test]
    public void A_value_that_the_type_cannot_hold_is_refused_when_it_is_written()
    {
        var parameter = new PgParameter("price", DbType.Int16) { Value = 100_000 };
        var error = Assert.Throws<OverflowException>(() => Write<object>(Bind(parameter), parameter, 100_000))!;
        Assert.That(error.Message, Does.StartWith("Parameter 'price' (number 1) cannot be sent: "));
    }

    [Test]
    public void Only_a_type_that_was_set_or_declared_can_be_prepared_without_a_value()
    {
        ParameterBinding binding = default;
        Assert.That(binding.TryBindType<object>(new PgParameter(), null, _session.Types), Is.False);
        Assert.That(binding.TryBindType<object>(new PgParameter { PgDbType = PgDbType.Text }, null, _session.Types), Is.True);
        Assert.That(binding.TypeOid, Is.EqualTo(25));
        Assert.That(binding.TryBindType(new PgParameter<int>(), 0, _session.Types), Is.False, "a value is left to its binding");
        Assert.That(binding.TryBindType<int?>(new PgParameter<int?>(), null, _session.Types), Is.True);
        Assert.That(binding.TypeOid, Is.EqualTo(23));
    }

    private ParameterBinding Bind(PgParameter parameter)
    {
        ParameterBinding binding = default;
        binding.Bind(parameter, 0, parameter.IsNull ? null : parameter.Value, _session.Types);
        return binding;
    }

    private static string Write<T>(ParameterBinding binding, PgParameter parameter, T? value)
    {
        var writer = new MessageWriter();
        binding.Write(parameter, 0, value, writer);
        return Convert.ToHexStringLower(writer.Pending);
    }
}
