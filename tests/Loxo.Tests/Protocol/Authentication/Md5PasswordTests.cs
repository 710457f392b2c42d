using Loxo.Protocol.Authentication;

namespace Loxo.Tests.Protocol.Authentication;

public class Md5PasswordTests
{
    // Computed with Python's hashlib.
    [TestCase("postgres", "secret", new byte[] { 1, 2, 3, 4 }, "md5bb41a296aab6baccb36ff243a562abff")]
    [TestCase("jörg", "pässwörd", new byte[] { 0xff, 0, 0x80, 0x7f }, "md508eedd3082b304e2b4a7a041a4b21dcb")]
    public void The_response_hashes_password_and_user_then_the_salt(string user, string password, byte[] salt, string response) =>
        Assert.That(Md5Password.Response(user, password, salt), Is.EqualTo(response));

    // Neither attributes nor names of tests can hold half of a surrogate pair: both are stored as UTF-8.
    private static TestCaseData[] ImpossiblePasswords() =>
    [
        new TestCaseData("").SetArgDisplayNames("empty"),
        new TestCaseData("a\0").SetArgDisplayNames("NUL"),
        new TestCaseData("\udc00").SetArgDisplayNames("half a surrogate pair"),
    ];

    [TestCaseSource(nameof(ImpossiblePasswords))]
    public void A_password_that_no_server_can_have_is_refused(string password)
    {
        var error = Assert.Throws<PgException>(() => Md5Password.Response("postgres", password, [1, 2, 3, 4]))!;

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
    }
}
