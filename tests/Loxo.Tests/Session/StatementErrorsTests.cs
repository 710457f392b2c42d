using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Tests.Session;

internal sealed class StatementErrorsTests
{
    // The translations of PostgreSQL 15.
    [TestCase(null)]
    [TestCase("")]
    [TestCase("unnamed portal parameter $1")]
    [TestCase("unnamed portal parameter $12 = '(7,\"a\")'")]
    [TestCase("unbenanntes Portal Parameter $1")]
    [TestCase("paramètre de portail non nommé $1")]
    [TestCase("無名ポータルパラメータ $1")]
    [TestCase("უსახელო პორტალის პარამეტრი $1")]
    [TestCase("이름없는 포탈 $1 매개 변수 = '7'")]
    [TestCase("неименованный портал, параметр $1 = '7'")]
    public void The_context_of_a_parameter_says_that_no_function_raised_the_error(string? context) =>
        Assert.That(
            new[] { Reply.ParseComplete, Reply.BindComplete }.Select(failedAt => StatementErrors.ComesBeforeFunctions(new ServerErrorFields { Where = context }, failedAt)),
            Has.All.True);

    [TestCase("PL/pgSQL function f(integer) line 3 at RAISE")]
    [TestCase("PL/pgSQL function f$1(integer) line 3 at RAISE")]
    [TestCase("PL/pgSQL function \"f $1\"(integer) line 3 at RAISE")]
    [TestCase("PL/pgSQL-Funktion $1(integer) Zeile 3 bei RAISE")]
    [TestCase("SQL function \"f $1\" during inlining")]
    [TestCase("fonction SQL « f $1 » durant « inlining »")]
    [TestCase("SQL関数\"$1\"のインライン化処理中")]
    [TestCase("PL/pgSQL function d(integer) line 1 at RAISE\nunnamed portal parameter $1 = '7'")]
    [TestCase("portal sin nombre, parámetro 1", Description = "not known to be a parameter's")]
    public void Any_other_context_may_be_of_a_function(string context) =>
        Assert.That(
            new[] { Reply.ParseComplete, Reply.BindComplete }.Select(failedAt => StatementErrors.ComesBeforeFunctions(new ServerErrorFields { Where = context }, failedAt)),
            Has.All.False);

    [TestCase("XX000", "cache lookup failed for type 4711", "getTypeBinaryInputInfo", null, true)]
    [TestCase("XX000", "cache lookup failed for type 4711", "getTypeInputInfo", null, true)]
    [TestCase("XX000", "cache lookup failed for type 4711", "getBaseTypeAndTypmod", "unnamed portal parameter $1", true)]
    [TestCase("XX000", "cache lookup failed for type 4711", "get_type_io_data", null, false, Description = "array_in, while the statement is planned")]
    [TestCase("XX000", "cache lookup failed for type 4711", null, null, false)]
    [TestCase("42804", "wrong data type: 25, expected 23", "record_recv", null, false)]
    [TestCase("26000", "prepared statement \"s1\" does not exist", "FetchPreparedStatement", null, true)]
    public void Bind_reads_its_parameters_before_any_function_runs(string sqlState, string message, string? routine, string? context, bool comesBefore)
    {
        var error = new ServerErrorFields { SqlState = sqlState, MessageText = message, Routine = routine, Where = context };
        Assert.That(StatementErrors.ComesBeforeFunctions(error, Reply.BindComplete), Is.EqualTo(comesBefore));
        Assert.That(StatementErrors.ComesBeforeFunctions(error, Reply.Ready), Is.False);
    }
}
